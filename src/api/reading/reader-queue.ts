/** Queue of expensive reads. Few run at a time, so their processor and memory use is bounded. */

import { apiError } from "../../http/errors.ts";
import type { ResponseBackpressure } from "../../http/responses/backpressure.ts";
import { MAX_ANSWER_BYTES } from "../../http/responses/chunked-json.ts";
import type { Reply } from "../../http/responses/reply.ts";
import type { Cancel, Clock } from "../../interfaces.ts";
import type { ReaderRoute, ReadRequest } from "../route.ts";

export interface QueuedRead extends ReadRequest {
  readonly route: ReaderRoute;
  /** The answer, if another request has produced it meanwhile. */
  readonly findCached?: (() => Reply | undefined) | undefined;
}

/** Runs one read at a time. */
export interface ReadingThread {
  /** @throws whatever the route's handler throws; ApiError 503 if it takes too long */
  read(read: QueuedRead): Promise<Reply>;
  cancel(): void;
}

const MAX_QUEUED = 100;
const QUEUE_TIMEOUT_MS = 20_000;

/** While unread answers fill the memory limit. */
const POLL_INTERVAL_MS = 100;
/** After this many polls, the worst connection is closed. */
const POLLS_BEFORE_DROP = 10;

interface WaitingRead {
  readonly read: QueuedRead;
  readonly answer: (reply: Promise<Reply>) => void;
  readonly cancelTimeout: Cancel;
  thread?: ReadingThread;
}

/** First come, first served. */
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
   * @param onGone registers a function that cancels the read, to call when the client disconnects
   * @throws ApiError 503 when too many reads wait, or this one waited too long; whatever `ReadingThread.read` throws
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

  /** Needs an idle thread, and memory for an answer. */
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
      const cached = waiting.read.findCached?.();
      if (cached !== undefined) waiting.answer(Promise.resolve(cached));
      else this.#run(waiting, this.#idle.splice(0, 1)[0]);
    }
  }

  #run(waiting: WaitingRead, thread: ReadingThread): void {
    waiting.thread = thread;
    const reply = thread.read(waiting.read).finally(() => {
      waiting.thread = undefined;
      this.#idle.push(thread);
    });
    waiting.answer(reply);
    // Wait for one turn of the event loop: then `freeBytes` includes this answer.
    const next = (): void => void setImmediate(() => this.#startNext());
    reply.then(next, next);
  }

  /** A client that does not read its answer must not block the others. */
  #poll(): void {
    this.#cancelPoll = undefined;
    if (++this.#polls % POLLS_BEFORE_DROP === 0) this.#backpressure.dropWorst();
    this.#startNext();
  }
}
