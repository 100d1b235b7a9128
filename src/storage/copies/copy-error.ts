import { BaseError } from "../../errors/base-error.ts";

/** A backup or snapshot cannot be written, read or restored. The source is unchanged. */
export class CopyError extends BaseError {}
