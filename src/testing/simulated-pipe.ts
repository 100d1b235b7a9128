import { concatBytes } from "../bytes/compare.ts";
import type { Clock } from "../interfaces.ts";
import type { SeededRandom } from "./seeded-random.ts";

/** Bytes that both systems buffer; the rest waits with the sender. */
const WINDOW = 65_536;
/** Maximum segment length, bytes. */
const SEGMENT = 16_384;
/** Percentage of segments that are split. */
const SPLIT = 20;

export interface PipeOptions {
  readonly clock: Clock;
  readonly random: SeededRandom;
  /** Returns the latency of the next segment, ms. */
  readonly delay: () => number;
  readonly bytesPerMs: () => number;
  /** Returns true if data passes now. */
  readonly passes: () => boolean;
  /** Run tasks of the receiver and of the sender when these are free. */
  readonly receive: (task: () => void) => void;
  readonly release: (task: () => void) => void;
}

interface Write {
  bytes: Uint8Array;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

class BrokenPipeError extends Error {
  override readonly name = "BrokenPipeError";
  constructor() {
    super("The connection has ended");
  }
}

/** One direction of a connection: bytes in order, in segments of any size, as fast as the receiver reads. */
export class SimulatedPipe {
  /** Bytes accepted from the sender, and delivered to the receiver. */
  taken = 0;
  delivered = 0;
  readonly #writes: Write[] = [];
  /** Segments held back because nothing passes, in order. */
  readonly #held: (Uint8Array | "end")[] = [];
  /** Received data that the receiver has not read yet. */
  readonly #arrived: Uint8Array[] = [];
  /** Bytes in transit and in the receive buffer. */
  #inside = 0;
  /** When the line is free, and when the last segment arrives. */
  #freeAt = 0;
  #lastAt = 0;
  #take: ((bytes: Uint8Array) => Promise<void> | void) | undefined;
  #isTaking = false;
  #isStopped = false;
  #isRefusing = false;
  #endSent = false;
  #endArrived = false;
  readonly #told: (() => void)[] = [];
  readonly #options: PipeOptions;

  constructor(options: PipeOptions) {
    this.#options = options;
  }

  /** Bytes queued by the sender. */
  get waitingBytes(): number {
    return this.#writes.reduce((sum, { bytes }) => sum + bytes.length, 0);
  }

  write(bytes: Uint8Array): Promise<void> {
    if (this.#isRefusing) return Promise.reject(new BrokenPipeError());
    return new Promise((resolve, reject) => {
      this.#writes.push({ bytes, resolve, reject });
      this.#pump();
    });
  }

  onData(take: (bytes: Uint8Array) => Promise<void> | void): void {
    this.#take = take;
    this.#deliver();
  }

  /** Calls `told` when the end has arrived, after all data. */
  onEnd(told: () => void): void {
    this.#told.push(told);
  }

  /** Ends the stream after the buffered data. */
  end(): void {
    if (this.#endSent) return;
    this.#endSent = true;
    this.fail();
    this.#send("end");
  }

  /** Rejects all queued writes. */
  fail(): void {
    this.#isRefusing = true;
    const { release } = this.#options;
    for (const { reject } of this.#writes.splice(0)) release(() => reject(new BrokenPipeError()));
  }

  /** Stops the receiver. */
  stop(): void {
    this.#isStopped = true;
    this.#arrived.length = 0;
  }

  /** Delivers held segments, if data passes again. */
  resume(): void {
    if (this.#held.length === 0) return;
    const { clock, delay, passes } = this.#options;
    clock.after(delay(), () => {
      if (passes()) for (const segment of this.#held.splice(0)) this.#accept(segment);
    });
  }

  /** Moves queued writes into the buffers, as far as there is room. */
  #pump(): void {
    const { random, release } = this.#options;
    for (let write = this.#writes[0]; write !== undefined; write = this.#writes[0]) {
      if (this.#inside >= WINDOW && !this.#isStopped) return;
      let length = Math.min(write.bytes.length, SEGMENT);
      if (length > 1 && random.chance(SPLIT)) length = 1 + random.below(length - 1);
      const segment = write.bytes.slice(0, length);
      write.bytes = write.bytes.subarray(length);
      this.taken += length;
      this.#inside += length;
      this.#send(segment);
      if (write.bytes.length > 0) continue;
      this.#writes.shift();
      release(write.resolve);
    }
  }

  #send(segment: Uint8Array | "end"): void {
    const { clock, delay, bytesPerMs } = this.#options;
    const now = clock.monotonic();
    const length = segment === "end" ? 0 : segment.length;
    this.#freeAt = Math.max(this.#freeAt, now) + length / bytesPerMs();
    // Keep the order of segments.
    this.#lastAt = Math.max(this.#lastAt, this.#freeAt + delay());
    clock.after(this.#lastAt - now, () => this.#arrive(segment));
  }

  #arrive(segment: Uint8Array | "end"): void {
    // Keep the order of segments.
    if (!this.#options.passes() || this.#held.length > 0) this.#held.push(segment);
    else this.#accept(segment);
  }

  #accept(segment: Uint8Array | "end"): void {
    if (segment === "end") this.#endArrived = true;
    else if (this.#isStopped) this.#inside -= segment.length;
    else this.#arrived.push(segment);
    this.#deliver();
  }

  #deliver(): void {
    if (this.#isTaking || this.#isStopped) return;
    if (this.#arrived.length === 0) {
      if (this.#endArrived) for (const told of this.#told.splice(0)) told();
      return;
    }
    if (this.#take === undefined) return;
    this.#isTaking = true;
    this.#options.receive(() => this.#hand());
  }

  /** Hands over all received data in one piece. */
  #hand(): void {
    const take = this.#take;
    if (this.#isStopped || take === undefined) return;
    const pieces = this.#arrived.splice(0);
    const bytes = pieces.length === 1 ? pieces[0] : concatBytes(...pieces);
    this.delivered += bytes.length;
    const done = (): void => {
      this.#inside -= bytes.length;
      this.#isTaking = false;
      this.#pump();
      this.#deliver();
    };
    const taken = take(bytes);
    if (taken === undefined) done();
    else taken.then(done);
  }
}
