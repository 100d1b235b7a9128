/** What a node is given: the time, chance, other programs, files and names, and where to write what happens. */

/** Cancels what `Clock.after` scheduled; calling it late or twice does nothing. */
export type Cancel = () => void;

/** The time, and the only way to wait. Tests hand in a virtual one. */
export interface Clock {
  /** Milliseconds since 1970-01-01 UTC: network time, where a time server is asked. Page 03 §8.6. */
  now(): number;
  /** The same as the machine's own clock shows it. */
  system(): number;
  /** Milliseconds since some moment, the same for all threads, as time passes: unlike `now`, nobody sets it. */
  monotonic(): number;
  /**
   * Calls `task` once, `delayMs` from now (0: as soon as possible).
   * @param name name of the timer in the log when its task throws; by default the name of the part that owns the clock
   */
  after(delayMs: number, task: () => void, name?: string): Cancel;
}

/** Randomness. Tests hand in a seeded one; keys and passwords come from the operating system. */
export interface Random {
  bytes(length: number): Uint8Array;
}

/** One end of a connection to another program: bytes in order, in both directions. */
export interface Connection {
  /** The other side: its IP address, and the port that it talks from. */
  readonly host: string;
  readonly port: number;
  /** Bytes that came and that went so far. */
  readonly received: number;
  readonly sent: number;
  /**
   * Hands over what arrives. Nothing is read before this was called, nor while a promise given back is open: a taker
   * that is slow slows the other side down.
   */
  onData(take: (bytes: Uint8Array) => Promise<void> | void): void;
  /** Tells, once, that the connection has ended, whoever ended it; at once when it has already. */
  onClose(told: () => void): void;
  /**
   * Sends bytes, which are the connection's from now on. Whoever waits for the promise before the next call never has
   * more than one piece waiting for a slow other side.
   * @throws when the connection ends before the system has taken them
   */
  write(bytes: Uint8Array): Promise<void>;
  /** Ends the connection: what was not sent yet is lost. Calling it again does nothing. */
  close(): void;
}

/** A port that takes connections. */
export interface Listening {
  /** As it was taken: that of the system's choice where 0 was asked for. */
  readonly port: number;
  /** Takes no further connections; those that stand go on. */
  close(): Promise<void>;
}

/** The only way to other programs. Simulations hand in one that delays, splits and loses what is sent. */
export interface Transport {
  /**
   * Takes connections at an address and port (0: a free one).
   * @returns undefined where nothing can connect
   * @throws when the port cannot be had
   */
  listen(
    host: string,
    port: number,
    onConnection: (connection: Connection) => void,
  ): Promise<Listening | undefined>;
  /** Connects. @throws with the reason when there is no answer within `patienceMs`, or a refusal */
  dial(host: string, port: number, patienceMs: number): Promise<Connection>;
}

/** What the machine knows of names, and of itself. */
export interface Hosts {
  /** IP addresses of a host name. @throws when it is not found */
  resolve(name: string): Promise<readonly string[]>;
  /** IP addresses of the machine's own interfaces. */
  own(): readonly string[];
}

/** What a part reports while it works; the node's log stands behind it. */
export interface Log {
  debug(message: string, facts?: Record<string, unknown>): void;
  info(message: string, facts?: Record<string, unknown>): void;
  warn(message: string, facts?: Record<string, unknown>): void;
  error(message: string, facts?: Record<string, unknown>): void;
}
