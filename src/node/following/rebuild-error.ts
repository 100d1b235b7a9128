import { BaseError } from "../../errors/base-error.ts";

/** The store could not follow its source, nor could a new one. Exit code 15. */
export class FollowFaultError extends BaseError {}
