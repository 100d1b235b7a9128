import { BaseError } from "../../errors/base-error.ts";

/** The store cannot follow its source any more: it must be filled again. */
export class RebuildError extends BaseError {}

/** The store could not follow its source. Exit code 15. */
export class FollowFaultError extends BaseError {}
