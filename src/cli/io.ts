import type { Settings } from "../config/settings.ts";
import type { Clock, Log } from "../interfaces.ts";
import type { LogLevels } from "../runtime/logging/log-levels.ts";
import type { KeyCost } from "../wallet/file.ts";

export interface RunningNode {
  /** Finishes the current block, flushes and closes. Idempotent. */
  stop(): Promise<void>;
  /** Resolves when the node has stopped; rejects if a failure ended it. */
  readonly finished: Promise<void>;
}

interface DirectoryLock {
  release(): Promise<void>;
}

export interface SpawnedProcess {
  readonly pid: number | undefined;
  hasEnded(): boolean;
  /** Sends SIGTERM. */
  stop(): void;
}

export interface Service {
  readonly pid: number;
  /** Reports a state (sd_notify(3)). Never rejects; resolves to the reason if the report failed. */
  notify(state: string): Promise<string | undefined>;
}

export type RemoveListener = () => void;

export interface Io {
  /** Standard output. */
  out(text: string): void;
  /** Standard error. */
  err(text: string): void;
  /** Standard error, if it is a terminal. */
  readonly errTerminal?: { readonly columns: number } | undefined;
  /** Standard output, if it is a terminal. */
  readonly outTerminal?: { readonly columns: number; readonly rows: number } | undefined;
  /** Reads answers without showing them; undefined if standard input is not a terminal. */
  readonly askSecrets?: ((prompts: readonly string[]) => Promise<readonly string[]>) | undefined;
  /** Cost of deriving the keys of wallet files, and the lowest accepted cost, for `wallet passwd`. */
  readonly walletKeyCost?: KeyCost | undefined;
  readonly environment: NodeJS.ProcessEnv;
  /** Parent of the default data directory; by default the home directory. */
  readonly home?: string | undefined;
  /** Listens for SIGTERM and SIGINT. */
  onSignal(listener: (signal: string) => void): RemoveListener;
  /** Listens for SIGHUP, which then no longer ends the process. */
  onHangup(listener: () => void): RemoveListener;
  /** Calls back once when the npm process that started this one has ended. */
  onOrphaned(listener: () => void): RemoveListener;
  readonly clock: Clock;
  spawn(args: readonly string[], logFile: string, environment: NodeJS.ProcessEnv): SpawnedProcess;
  isRunning(pid: number): boolean;
  /** Undefined if systemd did not start this process. */
  readonly service?: Service | undefined;
  exit(code: number): void;
  /** Lowers the priority of this process; undefined in tests. */
  readonly lowerPriority?: (() => void) | undefined;
  /** @param signal aborts the start before its next step, with the signal's reason */
  startNode(settings: Settings, log: Log, levels: LogLevels, signal: AbortSignal): Promise<RunningNode>;
  /** Returns the name of the network in a gateway's databases; waits until one responds. */
  databaseNetwork?(settings: Settings, log: Log, signal: AbortSignal): Promise<string>;
  /**
   * Locks the data directory; creates a missing one.
   * @throws StoreInUseError; errors of `openStore` for a foreign directory
   */
  lockDataDir(settings: Settings): Promise<DirectoryLock>;
}
