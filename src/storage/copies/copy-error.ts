import { BaseError } from "../../errors/base-error.ts";

/** Its source is unchanged. */
export class CopyError extends BaseError {}

export class CopyStoppedError extends CopyError {}
