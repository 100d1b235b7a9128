/** Dependencies of a node on the outside: time, randomness, connections, host names and the log. */

/** Cancels a timer. Calling it late or twice does nothing. */
export type Cancel = () => void;

/** The time, and the only way to wait. Tests use a virtual clock. */
export interface Clock {
  /** Milliseconds since 1970-01-01 UTC, corrected by a time server if one is configured. Page 03 §8.6. */
  now(): number;
  /** The same without correction. */
  system(): number;
  /** Milliseconds since an arbitrary moment, the same for all threads. Never set back. */
  monotonic(): number;
  /**
   * Calls `task` once after `delayMs` (0: as soon as possible).
   * @param name name of the timer in the log if its task throws; by default the name of the part that owns the
   *   clock
   */
  after(delayMs: number, task: () => void, name?: string): Cancel;
}

/** Randomness. Tests use a seeded source; keys and passwords come from the operating system. */
export interface Random {
  bytes(length: number): Uint8Array;
}

/** One end of a byte stream connection. */
export interface Connection {
  /** The remote IP address and port. */
  readonly host: string;
  readonly port: number;
  /** Bytes received and sent so far. */
  readonly received: number;
  readonly sent: number;
  /**
   * Sets the reader. Nothing is read before this call, nor until a returned promise resolves: a slow reader slows
   * the sender down.
   */
  onData(take: (bytes: Uint8Array) => Promise<void> | void): void;
  /** Calls `listener` once when the connection has ended; at once if it has already. */
  onClose(listener: () => void): void;
  /**
   * Sends bytes, which must not change afterwards. A caller that awaits each write queues at most one piece.
   * @throws if the connection ends before the system has taken the bytes
   */
  write(bytes: Uint8Array): Promise<void>;
  /** Ends the connection and drops unsent bytes. Calling it again does nothing. */
  close(): void;
}

/** An open port. */
export interface Listening {
  /** The port number, which the system chose if 0 was requested. */
  readonly port: number;
  /** Stops accepting. Open connections stay. */
  close(): Promise<void>;
}

/** The only way to other nodes. Simulations use one that delays, splits and loses data. */
export interface Transport {
  /**
   * Listens at an address and port (0: a free one).
   * @returns undefined if nothing can connect
   * @throws if the port is not available
   */
  listen(
    host: string,
    port: number,
    onConnection: (connection: Connection) => void,
  ): Promise<Listening | undefined>;
  /** Connects. @throws if the connection is refused or takes longer than `timeoutMs` */
  dial(host: string, port: number, timeoutMs: number): Promise<Connection>;
}

/** Name resolution and the machine's addresses. */
export interface Hosts {
  /** Resolves a host name to IP addresses. @throws if it is not found */
  resolve(name: string): Promise<readonly string[]>;
  /** Returns the IP addresses of the machine's interfaces. */
  own(): readonly string[];
}

/** The log. */
export interface Log {
  debug(message: string, facts?: Record<string, unknown>): void;
  info(message: string, facts?: Record<string, unknown>): void;
  warn(message: string, facts?: Record<string, unknown>): void;
  error(message: string, facts?: Record<string, unknown>): void;
}
