/** How a command ends, for scripts and service managers. The same table stands in docs/operate.md. */

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
  /** It did what it was asked. */
  ok: 0,
  /** It failed for a reason not named below; also: stopped at once by a second signal. */
  failed: 1,
  /** Unknown command, flag, setting, or an impossible value. */
  usage: 2,
  /** The wallet cannot be opened or changed: wrong password, damaged file, another seed. */
  wallet: 3,
  /** The data directory cannot be used: in use by another process, of another network, damaged, not to be written. */
  dataDirectory: 4,
  /** The HTTP interface cannot listen: the port is in use, or the address is not this machine's. */
  listen: 5,
  /** The HTTP thread ended again and again. */
  httpThread: 6,
  /** A fault of the program itself: the node shut down cleanly. */
  brokenInvariant: 7,
  /** The limit of open files and connections of the process is too low. */
  handles: 8,
  /** `verify-anchor`: nobody who was asked has the hash. */
  notAnchored: 10,
  /** `verify-anchor`: proof, transaction and hash do not fit each other. */
  proofWrong: 11,
  /** `verify-anchor`: a node contradicts itself, what is signed, or another node. */
  nodesDisagree: 12,
  /** `verify-anchor`: too few blocks stand on the anchor. */
  notFinal: 13,
  /** `verify-anchor`: a node gives no answer. */
  unreachable: 14,
  /** A feature is active that this version does not know. The reference's code for it: page 03 §6.4. */
  unsupportedFeature: 38,
} as const;

export type ExitCode = (typeof ExitCode)[keyof typeof ExitCode];

/** The command was used in a way that cannot work. */
export class UsageError extends BaseError {}

/** A failure whose message says all that its reader needs. `code` is how the process ends. */
export class CommandError extends BaseError {
  readonly code: ExitCode;
  constructor(code: ExitCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** Returns a failure with exit code 1. */
export const failure = (message: string): CommandError => new CommandError(ExitCode.failed, message);

/** Returns the failure to read a file. */
export const cannotRead = (path: string, error: unknown): CommandError =>
  failure(`Cannot read ${path}: ${reasonOf(error)}`);

/** The exit codes of errors whose message says enough for the user. */
const CODES_OF_ERRORS = [
  [UsageError, ExitCode.usage],
  [SettingsError, ExitCode.usage],
  [WalletError, ExitCode.wallet],
  // One by one and not from the store's own module, so that `--help` does not load the database.
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

/** What an error means for the exit code and what is said about it. An unknown one is shown with its stack. */
export function explainError(error: unknown): { code: ExitCode; text: string } {
  if (error instanceof CommandError) return { code: error.code, text: error.message };
  if (error instanceof GenesisError)
    return { code: ExitCode.usage, text: `The genesis file describes no network: ${error.message.trim()}` };
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
