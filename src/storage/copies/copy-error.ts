import { BaseError } from "../../errors/base-error.ts";

/** Its source is unchanged. */
export class CopyError extends BaseError {}

/** The work ended because of a stop. */
export class CopyStoppedError extends CopyError {}
