/** What commands need from the system; tests replace it. */
import type { Settings } from "../config/settings.ts";
import type { Clock, Log } from "../interfaces.ts";

export interface RunningNode {
  /** Finishes the current block, flushes and closes. Further calls do nothing. */
  stop(): Promise<void>;
  /** Resolves when the node has ended; rejects if it had to give up. */
  readonly finished: Promise<void>;
}

/** A lock that keeps other processes out of a data directory. */
interface DirectoryLock {
  release(): Promise<void>;
}

/** A process that outlives the one that started it. */
interface SpawnedProcess {
  readonly pid: number | undefined;
  hasEnded(): boolean;
}

export interface Io {
  /** Writes to standard output: the result of a command. */
  out(text: string): void;
  /** Writes to standard error: warnings and failures. */
  err(text: string): void;
  /** Undefined if standard error is not a terminal. */
  readonly terminal?: { readonly columns: number } | undefined;
  readonly environment: NodeJS.ProcessEnv;
  readonly home?: string | undefined;
  /** Calls back at SIGTERM and SIGINT. Returns a function that removes the listener. */
  onSignal(listener: (signal: string) => void): () => void;
  /**
   * Calls back once when npm has started this process and has ended. Returns a function that removes the listener.
   */
  onOrphaned(listener: () => void): () => void;
  readonly clock: Clock;
  /** Starts the command line as a new process with these arguments; its output is appended to `logFile`. */
  spawn(args: readonly string[], logFile: string, environment: NodeJS.ProcessEnv): SpawnedProcess;
  isRunning(pid: number): boolean;
  exit(code: number): void;
  startNode(settings: Settings, log: Log): Promise<RunningNode>;
  /**
   * Locks the data directory; creates it if it does not exist.
   * @throws StoreInUseError if another process uses it, and what `openStore` throws for a directory of another
   *   network or of something else
   */
  lockDataDir(settings: Settings): Promise<DirectoryLock>;
}
