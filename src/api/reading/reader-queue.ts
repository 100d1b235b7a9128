import { apiError } from "../../http/errors.ts";
import type { RequestLimit } from "../../http/metrics.ts";
import type { ResponseBackpressure } from "../../http/responses/backpressure.ts";
import { MAX_ANSWER_BYTES } from "../../http/responses/chunked-json.ts";
import type { Reply } from "../../http/responses/reply.ts";
import type { Cancel, ChainCursor, Clock } from "../../interfaces.ts";
import type { ReaderRoute, ReadRequest } from "../route.ts";

export interface QueuedRead extends ReadRequest {
  readonly route: ReaderRoute;
  /** Returns the answer if another request has produced it. */
  readonly findCached?: (() => Reply | undefined) | undefined;
  /** Receives the snapshot's newest unit. */
  readonly onTip?: ((tip: ChainCursor) => void) | undefined;
}

export interface ReaderThread {
  /** @throws ApiError 503 if the read takes too long; any error of the route's handler */
  read(read: QueuedRead): Promise<Reply>;
  cancel(): void;
}

const MAX_QUEUED = 100;
const QUEUE_TIMEOUT_MS = 20_000;

/** Interval of checks while unread answers take too much memory. */
const POLL_INTERVAL_MS = 100;
/** After this many polls, the slowest client is disconnected. */
const POLLS_BEFORE_DROP = 10;

interface WaitingRead {
  readonly read: QueuedRead;
  readonly answer: (reply: Promise<Reply>) => void;
  readonly cancelTimeout: Cancel;
  thread?: ReaderThread;
}

export class ReaderQueue {
  readonly #idle: ReaderThread[];
  readonly #backpressure: Pick<ResponseBackpressure, "freeBytes" | "dropSlowestClient">;
  readonly #clock: Clock;
  readonly #waiting = new Set<WaitingRead>();
  #pollCount = 0;
  #cancelPoll: Cancel | undefined;

  constructor(
    threads: readonly ReaderThread[],
    backpressure: Pick<ResponseBackpressure, "freeBytes" | "dropSlowestClient">,
    clock: Clock,
  ) {
    this.#idle = [...threads];
    this.#backpressure = backpressure;
    this.#clock = clock;
  }

  get length(): number {
    return this.#waiting.size;
  }

  /**
   * @param onDisconnect must call `cancel` when the client disconnects
   * @throws ApiError 503 if too many reads wait or this one waited too long; errors of `ReaderThread.read`
   */
  enqueue(read: QueuedRead, onDisconnect: (cancel: () => void) => void): Promise<Reply> {
    if (this.#waiting.size >= MAX_QUEUED) return Promise.reject(apiError("busy", "reader_queue"));
    return new Promise((answer) => {
      const giveUp = (limit?: RequestLimit): void => {
        if (this.#waiting.delete(waiting)) answer(Promise.reject(apiError("busy", limit)));
      };
      const cancelTimeout = this.#clock.after(QUEUE_TIMEOUT_MS, () => giveUp("reader_queue_timeout"));
      const waiting: WaitingRead = { read, answer, cancelTimeout };
      this.#waiting.add(waiting);
      onDisconnect(() => {
        cancelTimeout();
        giveUp();
        waiting.thread?.cancel();
      });
      this.#startNext();
    });
  }

  close(): void {
    this.#cancelPoll?.();
    for (const { cancelTimeout, answer } of this.#waiting) {
      cancelTimeout();
      answer(Promise.reject(apiError("closing")));
    }
    this.#waiting.clear();
  }

  #startNext(): void {
    for (const waiting of this.#waiting) {
      if (this.#idle.length === 0) return;
      if (this.#backpressure.freeBytes < MAX_ANSWER_BYTES) {
        this.#cancelPoll ??= this.#clock.after(POLL_INTERVAL_MS, () => this.#poll());
        return;
      }
      this.#pollCount = 0;
      this.#waiting.delete(waiting);
      waiting.cancelTimeout();
      const cached = waiting.read.findCached?.();
      if (cached !== undefined) waiting.answer(Promise.resolve(cached));
      else this.#run(waiting, this.#idle.splice(0, 1)[0]);
    }
  }

  #run(waiting: WaitingRead, thread: ReaderThread): void {
    waiting.thread = thread;
    const reply = thread.read(waiting.read).finally(() => {
      waiting.thread = undefined;
      this.#idle.push(thread);
    });
    waiting.answer(reply);
    // In the next turn of the event loop, `freeBytes` includes this answer.
    const next = (): void => void setImmediate(() => this.#startNext());
    reply.then(next, next);
  }

  #poll(): void {
    this.#cancelPoll = undefined;
    if (++this.#pollCount % POLLS_BEFORE_DROP === 0) this.#backpressure.dropSlowestClient();
    this.#startNext();
  }
}
