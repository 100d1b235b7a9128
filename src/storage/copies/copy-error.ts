import { BaseError } from "../../errors/base-error.ts";

/** A copy failed; its source is unchanged. */
export class CopyError extends BaseError {}

export class CopyStoppedError extends CopyError {}
