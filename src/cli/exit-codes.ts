/** Exit codes, which docs/troubleshoot.md also lists. `--help` loads this file, so its imports must not load LMDB. */

import { GenesisError } from "../blocks/errors.ts";
import { reasonOf } from "../bytes/errors.ts";
import { UnsupportedFeatureError } from "../chain/deciding/unsupported-feature.ts";
import { SettingsError } from "../config/errors.ts";
import { BaseError } from "../errors/base-error.ts";
import { ApiThreadError } from "../node/api/api-thread-error.ts";
import { FollowFaultError } from "../node/following/follow-fault-error.ts";
import { HandleLimitError } from "../node/handles.ts";
import { InvalidBlockError } from "../node/unchecked/invalid-block-error.ts";
import { PostgresUrlError } from "../postgres/connection/postgres-url.ts";
import { SqlError } from "../postgres/connection/sql-error.ts";
import { SchemaError } from "../postgres/schema/schema-error.ts";
import type { ListenFailure } from "../runtime/listen.ts";
import { BrokenInvariantError } from "../runtime/supervisor.ts";
import { CopyError } from "../storage/copies/copy-error.ts";
import { ForeignDirectoryError, StoreFormatError, WrongNetworkError } from "../storage/disk/directory.ts";
import { DiskError } from "../storage/disk/disk-error.ts";
import { StoreInUseError } from "../storage/disk/lock.ts";
import { WalletError } from "../wallet/errors.ts";

export const ExitCode = {
  ok: 0,
  /** Any other failure, or a second signal. */
  failed: 1,
  /** Unknown command, flag or setting; invalid value. */
  usage: 2,
  /** Cannot open or change the wallet: wrong password, damaged file, another seed. */
  wallet: 3,
  /** Cannot use the data directory: in use, another network, damaged, or not writable. */
  dataDirectory: 4,
  /** The port is in use, or the address is not local. */
  listen: 5,
  /** The HTTP thread ended too often. */
  httpThread: 6,
  /** Internal error. */
  brokenInvariant: 7,
  /** The limit of open files is too low. */
  handles: 8,
  /** The store has an invalid block, which `--assume-valid` accepted. */
  invalidBlock: 9,
  /** `verify-anchor`: no node has the hash. */
  notAnchored: 10,
  /** `verify-anchor`: proof, transaction and hash do not match. */
  proofWrong: 11,
  /** `verify-anchor`, `compare`: a node contradicts itself, the signatures, or another node. */
  nodesDisagree: 12,
  /** `verify-anchor`: too few confirmations. */
  notFinal: 13,
  /** A node does not respond. */
  unreachable: 14,
  /** A follower cannot follow its source, even after rebuilding its store. */
  cannotFollow: 15,
  /** Cannot use the database: another network, a newer format, or an old server. */
  database: 16,
  /** An unknown feature is active. Same code as the reference: page 03 §6.4. */
  unsupportedFeature: 38,
} as const;

export type ExitCode = (typeof ExitCode)[keyof typeof ExitCode];

export class UsageError extends BaseError {}

/** An expected failure, shown without a stack. */
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

const CODES_OF_ERRORS = [
  [UsageError, ExitCode.usage],
  [SettingsError, ExitCode.usage],
  [WalletError, ExitCode.wallet],
  [StoreInUseError, ExitCode.dataDirectory],
  [ForeignDirectoryError, ExitCode.dataDirectory],
  [StoreFormatError, ExitCode.dataDirectory],
  [WrongNetworkError, ExitCode.dataDirectory],
  [DiskError, ExitCode.dataDirectory],
  [CopyError, ExitCode.failed],
  [ApiThreadError, ExitCode.httpThread],
  [HandleLimitError, ExitCode.handles],
  [InvalidBlockError, ExitCode.invalidBlock],
  [BrokenInvariantError, ExitCode.brokenInvariant],
  [FollowFaultError, ExitCode.cannotFollow],
  [SchemaError, ExitCode.database],
  [SqlError, ExitCode.database],
  [PostgresUrlError, ExitCode.usage],
  [UnsupportedFeatureError, ExitCode.unsupportedFeature],
] as const;
const LISTEN_ERRORS = new Map<unknown, { readonly at: "port" | "host"; readonly advice: string }>([
  ["EADDRINUSE", { at: "port", advice: "Stop the program that uses the port, or choose another port" }],
  ["EADDRNOTAVAIL", { at: "host", advice: "Choose an address of this machine" }],
  ["EACCES", { at: "port", advice: "Choose a port above 1023" }],
]);

function explainListenError(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code, syscall, message, setting }: ListenFailure = error;
  const entry = syscall === "listen" ? LISTEN_ERRORS.get(code) : undefined;
  if (entry === undefined) return undefined;
  return `--${setting ?? "api"}-${entry.at}: cannot listen: ${message.replace(/^listen /, "")}. ${entry.advice}`;
}

export function explainError(error: unknown): { code: ExitCode; text: string } {
  if (error instanceof CommandError) return { code: error.code, text: error.message };
  if (error instanceof GenesisError)
    return { code: ExitCode.usage, text: `Invalid genesis file: ${error.message.trim()}` };
  const known = CODES_OF_ERRORS.find(([type]) => error instanceof type);
  if (known !== undefined) return { code: known[1], text: reasonOf(error) };
  const text = explainListenError(error);
  if (text !== undefined) return { code: ExitCode.listen, text };
  return {
    code: ExitCode.failed,
    text: error instanceof Error ? (error.stack ?? error.message) : String(error),
  };
}
