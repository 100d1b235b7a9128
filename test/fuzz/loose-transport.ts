/** Connections of one node in memory, without delays: the other ends are in the hands of whoever made the transport. */
import type { Connection, Listening, Transport } from "../../src/interfaces.ts";

/** What the other side is told. */
export interface FarSide {
  data(bytes: Uint8Array): void;
  /** The node has ended the connection. */
  turnedAway(): void;
}

/** The node's end of a connection. */
export class NearEnd implements Connection {
  received = 0;
  sent = 0;
  #take: ((bytes: Uint8Array) => Promise<void> | void) | undefined;
  #isBusy = false;
  #isClosed = false;
  #isLeft = false;
  readonly #queue: Uint8Array[] = [];
  readonly #told: (() => void)[] = [];

  /** @param fault told of what the node throws */
  constructor(
    readonly host: string,
    readonly port: number,
    private readonly far: FarSide,
    private readonly fault: (error: unknown) => void,
  ) {}

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Bytes that the node has not taken yet: they would be in the systems of both sides. */
  get waiting(): number {
    return this.#queue.reduce((sum, { length }) => sum + length, 0);
  }

  onData(take: (bytes: Uint8Array) => Promise<void> | void): void {
    this.#take = take;
    void this.#pump();
  }

  onClose(told: () => void): void {
    if (this.#isClosed) queueMicrotask(told);
    else this.#told.push(told);
  }

  async write(bytes: Uint8Array): Promise<void> {
    if (this.#isClosed) throw new Error("The connection has ended");
    this.sent += bytes.length;
    // Nobody hears of it while the node is still at it.
    queueMicrotask(() => this.far.data(bytes));
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#queue.length = 0;
    for (const told of this.#told.splice(0)) queueMicrotask(told);
    if (!this.#isLeft) queueMicrotask(() => this.far.turnedAway());
  }

  /** The other side ends the connection. */
  hangUp(): void {
    this.#isLeft = true;
    this.close();
  }

  /** Bytes of the other side arrive. */
  arrive(bytes: Uint8Array): void {
    if (this.#isClosed || bytes.length === 0) return;
    this.#queue.push(bytes);
    void this.#pump();
  }

  async #pump(): Promise<void> {
    if (this.#isBusy || this.#take === undefined) return;
    this.#isBusy = true;
    for (let bytes = this.#queue.shift(); bytes !== undefined; bytes = this.#queue.shift()) {
      this.received += bytes.length;
      try {
        await this.#take(bytes);
      } catch (error) {
        this.fault(error);
      }
    }
    this.#isBusy = false;
  }
}

/** The node's only way out, and in. */
export class LooseTransport implements Transport {
  #accept: ((connection: Connection) => void) | undefined;

  /**
   * @param answer takes a connection that the node opens; undefined: nobody is there
   * @param fault told of what the node throws
   */
  constructor(
    private readonly answer: (host: string, port: number) => NearEnd | undefined,
    private readonly fault: (error: unknown) => void,
  ) {}

  async listen(_: string, port: number, accept: (connection: Connection) => void): Promise<Listening> {
    this.#accept = accept;
    return {
      port,
      close: async () => {
        this.#accept = undefined;
      },
    };
  }

  async dial(host: string, port: number): Promise<Connection> {
    const answered = this.answer(host, port);
    if (answered === undefined) throw new Error("connection refused");
    return answered;
  }

  /** Somebody connects to the node. */
  connect(connection: NearEnd): void {
    try {
      this.#accept?.(connection);
    } catch (error) {
      this.fault(error);
    }
  }
}
