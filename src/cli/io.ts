/** What commands use of the world; tests hand in another one. */
import type { Settings } from "../config/settings.ts";
import type { Clock, Log } from "../interfaces.ts";

/** A node that runs. */
export interface RunningNode {
  /** Finishes the block in hand, flushes, closes; may be called more than once. */
  stop(): Promise<void>;
  /** Resolves when the node has ended by itself or by `stop`; rejects when it had to give up. */
  readonly finished: Promise<void>;
}

/** A hold on a data directory: no other process uses it meanwhile. */
interface DirectoryLock {
  release(): Promise<void>;
}

/** A process of the command line of its own, which outlives the one that started it. */
interface SpawnedProcess {
  /** Its number; undefined when it could not be started. */
  readonly pid: number | undefined;
  hasEnded(): boolean;
}

export interface Io {
  /** Text for standard output, the result of a command. */
  out(text: string): void;
  /** Text for standard error: warnings, what went wrong. */
  err(text: string): void;
  /** Whether standard error is a terminal, and how wide it is. */
  readonly terminal?: { readonly columns: number } | undefined;
  readonly environment: NodeJS.ProcessEnv;
  readonly home?: string | undefined;
  /** Calls back at SIGTERM and SIGINT; the result undoes it. */
  onSignal(listener: (signal: string) => void): () => void;
  /** Calls back, once, when npm has started this process and has ended; the result undoes it. */
  onOrphaned(listener: () => void): () => void;
  readonly clock: Clock;
  /** Starts the command line anew with these arguments; what it says goes behind what is in `logFile`. */
  spawn(args: readonly string[], logFile: string, environment: NodeJS.ProcessEnv): SpawnedProcess;
  /** Whether there is a process with this number. */
  isRunning(pid: number): boolean;
  /** Ends the process at once. */
  exit(code: number): void;
  startNode(settings: Settings, log: Log): Promise<RunningNode>;
  /**
   * Takes hold of the data directory of these settings, and makes it when it is not there yet.
   * @throws StoreInUseError when another process has it, and what `openStore` throws for a directory of another
   *   network or of something else
   */
  lockDataDir(settings: Settings): Promise<DirectoryLock>;
}
