import { BaseError } from "../../errors/base-error.ts";

/** The store cannot follow its source any more: it must be filled again. */
export class RebuildError extends BaseError {}

/** The store could not follow its source, also after it had been filled again. Exit code 15. */
export class FollowFaultError extends BaseError {}
