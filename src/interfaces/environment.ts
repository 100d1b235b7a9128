/** What a node uses from outside: the time, randomness, connections, host names and the log. */

/** Cancels a timer. Does nothing if the timer has already fired or was cancelled. */
export type Cancel = () => void;

/** Tells the time and runs timers. No other code waits. Tests use a virtual clock. */
export interface Clock {
  /** Milliseconds since 1970-01-01 UTC, corrected by a time server if one is configured. Page 03 §8.6. */
  now(): number;
  /** Milliseconds since 1970-01-01 UTC by the system's clock, without correction. */
  system(): number;
  /** Milliseconds since an arbitrary moment, which is the same for all threads. Never goes back. */
  monotonic(): number;
  /**
   * Calls `task` once after `delayMs` (0: as soon as possible).
   * @param name name of the timer in the log if its task throws; by default the name of the part that owns the
   *   clock
   */
  after(delayMs: number, task: () => void, name?: string): Cancel;
}

/** Source of random bytes, seeded in tests. Keys and passwords come from the operating system instead. */
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
   * Passes received bytes to `receive`. Nothing is read before this call, or while a promise returned by `receive` is
   * pending, so that a slow receiver slows the sender down.
   */
  onData(receive: (bytes: Uint8Array) => Promise<void> | void): void;
  /** Calls `listener` once when the connection ends; immediately if it has already ended. */
  onClose(listener: () => void): void;
  /**
   * Sends bytes, which must not change afterwards. A caller that awaits each write queues only the bytes of one write.
   * @throws if the connection ends before the operating system has accepted the bytes
   */
  write(bytes: Uint8Array): Promise<void>;
  /** Ends the connection and drops unsent bytes. Calling it again does nothing. */
  close(): void;
}

/** A port that accepts connections. */
export interface Listening {
  /** The port number, which the system chose if 0 was requested. */
  readonly port: number;
  /** Stops accepting connections. Connections that are already open stay open. */
  close(): Promise<void>;
}

/** Makes all connections to other nodes. Simulations use a transport that delays, splits and loses data. */
export interface Transport {
  /**
   * Listens at an address and port; port 0 chooses a free port.
   * @returns undefined if this transport accepts no connections
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

/** The log. `fields` are values to print with the message. */
export interface Log {
  /** Returns the log of a part of the node (`LogArea`), which can have its own level. */
  area?(name: string): Log;
  debug(message: string, fields?: Record<string, unknown>): void;
  info(message: string, fields?: Record<string, unknown>): void;
  warn(message: string, fields?: Record<string, unknown>): void;
  error(message: string, fields?: Record<string, unknown>): void;
}
