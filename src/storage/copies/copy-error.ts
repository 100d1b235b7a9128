import { BaseError } from "../../errors/base-error.ts";

/** A backup, snapshot or restore failed. Its source is unchanged. */
export class CopyError extends BaseError {}

/** The work ended because of a stop. */
export class CopyStoppedError extends CopyError {}
