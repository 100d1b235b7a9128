/** Cancels a timer, unless it has already fired. */
export type Cancel = () => void;

export interface Clock {
  /** In ms since 1970-01-01 UTC, corrected by a time server if one is configured. Page 03 §8.6. */
  now(): number;
  /** In ms since 1970-01-01 UTC, without correction. */
  system(): number;
  /** In ms since an arbitrary moment, which is the same for all threads. Never goes back. */
  monotonic(): number;
  /**
   * Calls `task` once after `delayMs` (0: as soon as possible).
   * @param name name in the log if `task` throws; default: the clock's name (`namedClock`)
   */
  after(delayMs: number, task: () => void, name?: string): Cancel;
}

/** Source of random bytes, seeded in tests; not for keys and passwords. */
export interface Random {
  bytes(length: number): Uint8Array;
}

export interface Connection {
  /** Remote IP address. */
  readonly host: string;
  readonly port: number;
  /** Bytes so far. */
  readonly received: number;
  /** Bytes so far. */
  readonly sent: number;
  /** Passes received bytes to `receive`. Reading pauses while a promise returned by `receive` is pending. */
  onData(receive: (bytes: Uint8Array) => Promise<void> | void): void;
  /** Calls `listener` once, even if the connection has already ended. */
  onClose(listener: () => void): void;
  /**
   * The bytes must not change afterwards.
   * @throws if the connection ends before the operating system has accepted the bytes
   */
  write(bytes: Uint8Array): Promise<void>;
  /** Drops unsent bytes. Calling it again does nothing. */
  close(): void;
}

export interface Listening {
  /** Chosen by the system if 0 was requested. */
  readonly port: number;
  /** Stops listening. Open connections stay open. */
  close(): Promise<void>;
}

export interface Transport {
  /**
   * @param port 0 for any free port
   * @returns undefined if this transport accepts no connections
   * @throws if the port is not available
   */
  listen(
    host: string,
    port: number,
    onConnection: (connection: Connection) => void,
  ): Promise<Listening | undefined>;
  /** @throws if the connection is refused or takes longer than `timeoutMs` */
  dial(host: string, port: number, timeoutMs: number): Promise<Connection>;
}

export interface Hosts {
  /** Returns IP addresses. @throws if the name is not found */
  resolve(name: string): Promise<readonly string[]>;
  /** Returns the IP addresses of this machine. */
  own(): readonly string[];
}

/** Prints the values of `fields` after the message. */
export interface Log {
  /** Returns the log of a part of the node (`LogArea`), which can have its own level. */
  area?(name: string): Log;
  debug(message: string, fields?: Record<string, unknown>): void;
  info(message: string, fields?: Record<string, unknown>): void;
  warn(message: string, fields?: Record<string, unknown>): void;
  error(message: string, fields?: Record<string, unknown>): void;
}
