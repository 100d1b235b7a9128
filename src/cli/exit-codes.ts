/** Exit codes for scripts and service managers. docs/operate.md has the same table. */

import { GenesisError } from "../blocks/errors.ts";
import { reasonOf } from "../bytes/errors.ts";
import { UnsupportedFeatureError } from "../chain/deciding/unsupported-feature.ts";
import { SettingsError } from "../config/errors.ts";
import { BaseError } from "../errors/base-error.ts";
import { ApiThreadError } from "../node/api/api-thread-error.ts";
import { HandleLimitError } from "../node/handles.ts";
import { BrokenInvariantError } from "../runtime/supervisor.ts";
import { ForeignDirectoryError, StoreFormatError, WrongNetworkError } from "../storage/disk/directory.ts";
import { DiskError } from "../storage/disk/disk-error.ts";
import { StoreInUseError } from "../storage/disk/lock.ts";
import { WalletError } from "../wallet/errors.ts";

export const ExitCode = {
  ok: 0,
  /** A reason not listed below, or stopped at once by a second signal. */
  failed: 1,
  /** Unknown command, flag or setting, or an invalid value. */
  usage: 2,
  /** The wallet cannot be opened or changed: wrong password, damaged file, another seed. */
  wallet: 3,
  /** The data directory cannot be used: in use by another process, of another network, damaged, not writable. */
  dataDirectory: 4,
  /** The HTTP interface cannot listen: the port is in use, or the address is not of this machine. */
  listen: 5,
  httpThread: 6,
  /** A fault of the program: the node shut down cleanly. */
  brokenInvariant: 7,
  handles: 8,
  /** `verify-anchor`: no node has the hash. */
  notAnchored: 10,
  /** `verify-anchor`: proof, transaction and hash do not match. */
  proofWrong: 11,
  /** `verify-anchor`: a node contradicts itself, the signatures, or another node. */
  nodesDisagree: 12,
  /** `verify-anchor`: too few blocks follow the anchor. */
  notFinal: 13,
  /** `verify-anchor`: a node does not respond. */
  unreachable: 14,
  /** A feature is active that this version does not know. The reference uses this code too: page 03 §6.4. */
  unsupportedFeature: 38,
} as const;

export type ExitCode = (typeof ExitCode)[keyof typeof ExitCode];

export class UsageError extends BaseError {}

/** A failure whose message is all that the user needs. */
export class CommandError extends BaseError {
  readonly code: ExitCode;
  constructor(code: ExitCode, message: string) {
    super(message);
    this.code = code;
  }
}

export const failure = (message: string): CommandError => new CommandError(ExitCode.failed, message);

export const cannotRead = (path: string, error: unknown): CommandError =>
  failure(`Cannot read ${path}: ${reasonOf(error)}`);

/** Errors whose message is all that the user needs. */
const CODES_OF_ERRORS = [
  [UsageError, ExitCode.usage],
  [SettingsError, ExitCode.usage],
  [WalletError, ExitCode.wallet],
  // Not from the store's own module, so that `--help` does not load the database.
  [StoreInUseError, ExitCode.dataDirectory],
  [ForeignDirectoryError, ExitCode.dataDirectory],
  [StoreFormatError, ExitCode.dataDirectory],
  [WrongNetworkError, ExitCode.dataDirectory],
  [DiskError, ExitCode.dataDirectory],
  [ApiThreadError, ExitCode.httpThread],
  [HandleLimitError, ExitCode.handles],
  [BrokenInvariantError, ExitCode.brokenInvariant],
  [UnsupportedFeatureError, ExitCode.unsupportedFeature],
] as const;
const LISTEN_ERRORS = new Set(["EADDRINUSE", "EADDRNOTAVAIL", "EACCES"]);

/** Returns the exit code and the text of an error. An unexpected error is shown with its stack. */
export function explainError(error: unknown): { code: ExitCode; text: string } {
  if (error instanceof CommandError) return { code: error.code, text: error.message };
  if (error instanceof GenesisError)
    return { code: ExitCode.usage, text: `Invalid genesis file: ${error.message.trim()}` };
  const known = CODES_OF_ERRORS.find(([type]) => error instanceof type);
  if (known !== undefined) return { code: known[1], text: reasonOf(error) };
  const { code, syscall } = (error ?? {}) as NodeJS.ErrnoException;
  if (error instanceof Error && syscall === "listen" && LISTEN_ERRORS.has(code ?? ""))
    return { code: ExitCode.listen, text: `The HTTP interface cannot listen: ${error.message}` };
  return {
    code: ExitCode.failed,
    text: error instanceof Error ? (error.stack ?? error.message) : String(error),
  };
}
