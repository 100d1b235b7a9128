/** In-memory connections of one node, without delays. The creator of the transport controls the other ends. */
import type { Connection, Listening, Transport } from "../../src/interfaces.ts";

/** Events for the other side. */
export interface FarSide {
  data(bytes: Uint8Array): void;
  /** The node closed the connection. */
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

  /** @param fault called with errors that the node throws */
  constructor(
    readonly host: string,
    readonly port: number,
    private readonly far: FarSide,
    private readonly fault: (error: unknown) => void,
  ) {}

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Bytes that the node has not read yet. On a real network they would be in socket buffers. */
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
    // Deferred, so that no event fires while the node is still writing.
    queueMicrotask(() => this.far.data(bytes));
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#queue.length = 0;
    for (const told of this.#told.splice(0)) queueMicrotask(told);
    if (!this.#isLeft) queueMicrotask(() => this.far.turnedAway());
  }

  /** Closes the connection from the other side. */
  hangUp(): void {
    this.#isLeft = true;
    this.close();
  }

  /** Delivers bytes from the other side. */
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

/** The node's only transport, for outbound and inbound connections. */
export class LooseTransport implements Transport {
  #accept: ((connection: Connection) => void) | undefined;

  /**
   * * @param answer accepts a connection that the node opens; undefined refuses it
   * * @param fault called with errors that the node throws
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

  /** Opens an inbound connection to the node. */
  connect(connection: NearEnd): void {
    try {
      this.#accept?.(connection);
    } catch (error) {
      this.fault(error);
    }
  }
}
