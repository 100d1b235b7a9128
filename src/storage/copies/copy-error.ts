import { BaseError } from "../../errors/base-error.ts";

/** The source is unchanged. */
export class CopyError extends BaseError {}
