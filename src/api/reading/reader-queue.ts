/**
 * Reads that are long, or long in the making, are made by reading threads: a few at a time, so that what they cost in
 * processor and memory is bounded, and the thread that serves HTTP has its hands free for all others.
 */

import { refuse } from "../../http/errors.ts";
import type { ResponseBackpressure } from "../../http/responses/backpressure.ts";
import { MAX_ANSWER_BYTES } from "../../http/responses/chunked-json.ts";
import type { Reply } from "../../http/responses/reply.ts";
import type { Cancel, Clock } from "../../interfaces.ts";
import type { ReaderRoute, ReadRequest } from "../route.ts";

export interface QueuedRead extends ReadRequest {
  readonly route: ReaderRoute;
  /** The answer, once it was made for somebody else. */
  readonly known?: (() => Reply | undefined) | undefined;
}

/** Makes one answer at a time, in a thread of its own. */
export interface ReadingThread {
  /** @throws what the route's handler throws; ApiError 503 when it takes too long */
  read(read: QueuedRead): Promise<Reply>;
  /** The answer under way is not wanted any more. */
  cancel(): void;
}

/** Most reads that wait for their turn, and how long one may wait, ms. */
const MAX_WAITING = 100;
const PATIENCE_MS = 20_000;

/** While answers that nobody took yet leave no room for another one: how often is looked, ms. */
const LOOK_MS = 100;
/** After so many looks the connection that keeps most room for longest must go. */
const LOOKS_TO_DROP = 10;

interface Waiting {
  readonly read: QueuedRead;
  readonly answer: (reply: Promise<Reply>) => void;
  readonly cancelPatience: Cancel;
  /** Makes it when its turn has come. */
  thread?: ReadingThread;
}

/** The reads of a server, in the order in which they were asked for. */
export class ReaderQueue {
  readonly #idle: ReadingThread[];
  readonly #backpressure: Pick<ResponseBackpressure, "room" | "dropWorst">;
  readonly #clock: Clock;
  readonly #waiting = new Set<Waiting>();
  #looks = 0;
  #cancelLook: Cancel | undefined;

  constructor(
    threads: readonly ReadingThread[],
    backpressure: Pick<ResponseBackpressure, "room" | "dropWorst">,
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
  ask(read: QueuedRead, onGone: (giveUp: () => void) => void): Promise<Reply> {
    if (this.#waiting.size >= MAX_WAITING) return Promise.reject(refuse("busy"));
    return new Promise((answer) => {
      const giveUp = (): void => {
        if (this.#waiting.delete(waiting)) answer(Promise.reject(refuse("busy")));
      };
      const cancelPatience = this.#clock.after(PATIENCE_MS, giveUp);
      const waiting: Waiting = { read, answer, cancelPatience };
      this.#waiting.add(waiting);
      onGone(() => {
        cancelPatience();
        giveUp();
        waiting.thread?.cancel();
      });
      this.#next();
    });
  }

  close(): void {
    this.#cancelLook?.();
    for (const { cancelPatience, answer } of this.#waiting) {
      cancelPatience();
      answer(Promise.reject(refuse("closing")));
    }
    this.#waiting.clear();
  }

  /** Gives waiting reads to idle threads, as long as there is room for what they may make. */
  #next(): void {
    for (const waiting of this.#waiting) {
      if (this.#idle.length === 0) return;
      if (this.#backpressure.room < MAX_ANSWER_BYTES) {
        this.#cancelLook ??= this.#clock.after(LOOK_MS, () => this.#look());
        return;
      }
      this.#looks = 0;
      this.#waiting.delete(waiting);
      waiting.cancelPatience();
      const known = waiting.read.known?.();
      if (known !== undefined) waiting.answer(Promise.resolve(known));
      else this.#make(waiting, this.#idle.splice(0, 1)[0]);
    }
  }

  #make(waiting: Waiting, thread: ReadingThread): void {
    waiting.thread = thread;
    const made = thread.read(waiting.read).finally(() => {
      waiting.thread = undefined;
      this.#idle.push(thread);
    });
    waiting.answer(made);
    // By then the answer is on its way, and counted.
    const next = (): void => void setImmediate(() => this.#next());
    made.then(next, next);
  }

  /** Whoever does not take his answer must not keep others from theirs for ever. */
  #look(): void {
    this.#cancelLook = undefined;
    if (++this.#looks % LOOKS_TO_DROP === 0) this.#backpressure.dropWorst();
    this.#next();
  }
}
