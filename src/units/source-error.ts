import { BaseError, type ErrorDetails } from "../errors/base-error.ts";

/**
 * Why a stream of units failed:
 * - `unreachable`: no connection, the connection broke, or a proxy does not reach the source
 * - `stalled`: no bytes arrived for too long
 * - `busy`: the source has too many streams, or is starting or stopping
 * - `unauthorized`: the source requires a key, or rejects this one
 * - `unknown position`: the position is not on the source's chain, nor in its log of reverted units
 * - `refused`: the URL is invalid, or the source answered with another error, such as an unknown route
 * - `other version`: the source sends a format that this program does not know
 * - `malformed`: the bytes are not a stream of units
 */
export type UnitSourceFault =
  | "unreachable"
  | "stalled"
  | "busy"
  | "unauthorized"
  | "unknown position"
  | "refused"
  | "other version"
  | "malformed";

export class UnitSourceError extends BaseError {
  readonly fault: UnitSourceFault;

  constructor(fault: UnitSourceFault, shortMessage: string, details: ErrorDetails = {}) {
    super(shortMessage, details);
    this.fault = fault;
  }
}
