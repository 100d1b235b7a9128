/**
 * Reads that are long, or long in the making, are made by reading threads: a few at a time, so that what they cost in
 * processor and memory is bounded, and the thread that serves HTTP has its hands free for all others.
 */

import { apiError } from "../../http/errors.ts";
import type { ResponseBackpressure } from "../../http/responses/backpressure.ts";
import { MAX_ANSWER_BYTES } from "../../http/responses/chunked-json.ts";
import type { Reply } from "../../http/responses/reply.ts";
import type { Cancel, Clock } from "../../interfaces.ts";
import type { ReaderRoute, ReadRequest } from "../route.ts";

export interface QueuedRead extends ReadRequest {
  readonly route: ReaderRoute;
  /** The answer, once it was made for somebody else. */
  readonly findCached?: (() => Reply | undefined) | undefined;
}

/** Makes one answer at a time, in a thread of its own. */
export interface ReadingThread {
  /** @throws what the route's handler throws; ApiError 503 when it takes too long */
  read(read: QueuedRead): Promise<Reply>;
  /** The answer under way is not wanted any more. */
  cancel(): void;
}

/** Most reads that wait for their turn, and how long one may wait, ms. */
const MAX_QUEUED = 100;
const QUEUE_TIMEOUT_MS = 20_000;

/** While answers that nobody took yet leave no room for another one: how often is looked, ms. */
const POLL_INTERVAL_MS = 100;
/** After so many looks the connection that keeps most room for longest must go. */
const POLLS_BEFORE_DROP = 10;

interface WaitingRead {
  readonly read: QueuedRead;
  readonly answer: (reply: Promise<Reply>) => void;
  readonly cancelTimeout: Cancel;
  /** Makes it when its turn has come. */
  thread?: ReadingThread;
}

/** The reads of a server, in the order in which they were asked for. */
export class ReaderQueue {
  readonly #idle: ReadingThread[];
  readonly #backpressure: Pick<ResponseBackpressure, "freeBytes" | "dropWorst">;
  readonly #clock: Clock;
  readonly #waiting = new Set<WaitingRead>();
  #polls = 0;
  #cancelPoll: Cancel | undefined;

  constructor(
    threads: readonly ReadingThread[],
    backpressure: Pick<ResponseBackpressure, "freeBytes" | "dropWorst">,
    clock: Clock,
  ) {
    this.#idle = [...threads];
    this.#backpressure = backpressure;
    this.#clock = clock;
  }

  /**
   * Makes an answer when its turn has come.
   * @param onGone is given what to call when the client has gone: the read is given up then
   * @throws ApiError 503 when too many wait, or this one has waited for too long; what `ReadingThread.read` throws
   */
  enqueue(read: QueuedRead, onGone: (giveUp: () => void) => void): Promise<Reply> {
    if (this.#waiting.size >= MAX_QUEUED) return Promise.reject(apiError("busy"));
    return new Promise((answer) => {
      const giveUp = (): void => {
        if (this.#waiting.delete(waiting)) answer(Promise.reject(apiError("busy")));
      };
      const cancelTimeout = this.#clock.after(QUEUE_TIMEOUT_MS, giveUp);
      const waiting: WaitingRead = { read, answer, cancelTimeout };
      this.#waiting.add(waiting);
      onGone(() => {
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

  /** Gives waiting reads to idle threads, as long as there is room for what they may make. */
  #startNext(): void {
    for (const waiting of this.#waiting) {
      if (this.#idle.length === 0) return;
      if (this.#backpressure.freeBytes < MAX_ANSWER_BYTES) {
        this.#cancelPoll ??= this.#clock.after(POLL_INTERVAL_MS, () => this.#poll());
        return;
      }
      this.#polls = 0;
      this.#waiting.delete(waiting);
      waiting.cancelTimeout();
      const known = waiting.read.findCached?.();
      if (known !== undefined) waiting.answer(Promise.resolve(known));
      else this.#run(waiting, this.#idle.splice(0, 1)[0]);
    }
  }

  #run(waiting: WaitingRead, thread: ReadingThread): void {
    waiting.thread = thread;
    const made = thread.read(waiting.read).finally(() => {
      waiting.thread = undefined;
      this.#idle.push(thread);
    });
    waiting.answer(made);
    // By then the answer is on its way, and counted.
    const next = (): void => void setImmediate(() => this.#startNext());
    made.then(next, next);
  }

  /** Whoever does not take his answer must not keep others from theirs for ever. */
  #poll(): void {
    this.#cancelPoll = undefined;
    if (++this.#polls % POLLS_BEFORE_DROP === 0) this.#backpressure.dropWorst();
    this.#startNext();
  }
}
