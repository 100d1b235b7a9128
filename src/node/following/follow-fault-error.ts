import { BaseError } from "../../errors/base-error.ts";

/** Neither this nor a new store can follow the source. Exit code 15. */
export class FollowFaultError extends BaseError {}
