import type { Socket } from "node:net";
import { isLocal, type Sender } from "../../http/access/proxies.ts";
import { ConnectionLimit } from "../../http/connections/connection-limit.ts";
import { type HttpCounts, localHttpCounts } from "../../http/counts.ts";
import { apiError } from "../../http/errors.ts";
import type { ChainEvents, Clock } from "../../interfaces.ts";
import { OriginSlots } from "../../runtime/origin-slots.ts";
import { TimeSlicedQueue } from "../../runtime/time-sliced-queue.ts";

export const MAX_WAITS = 500;
export const MAX_WAIT_MS = 20_000;
const MAX_WAITS_PER_ORIGIN = 100;

const SLICE_MS = 10;

interface Wait {
  check(): void;
  end(): void;
}

export class CommitWaits {
  readonly #clock: Clock;
  readonly #connections: ConnectionLimit;
  readonly #waits = new Set<Wait>();
  readonly #slots: OriginSlots;
  readonly #queue: TimeSlicedQueue<Wait>;
  readonly #unsubscribe: () => void;
  #isClosed = false;

  constructor(
    events: ChainEvents,
    clock: Clock,
    connections: ConnectionLimit = new ConnectionLimit(),
    { waits, runExclusively }: Pick<HttpCounts, "waits" | "runExclusively"> = localHttpCounts(),
  ) {
    this.#clock = clock;
    this.#slots = new OriginSlots(connections.scaled(MAX_WAITS), MAX_WAITS_PER_ORIGIN, waits, runExclusively);
    this.#connections = connections;
    this.#queue = new TimeSlicedQueue(
      clock,
      1,
      ([wait]) => {
        if (this.#waits.has(wait)) wait.check();
      },
      SLICE_MS,
    );
    this.#unsubscribe = events.onCommit(() => {
      for (const wait of this.#waits) this.#queue.add(wait);
    });
  }

  get count(): number {
    return this.#waits.size;
  }

  /**
   * Calls `find` now and after each commit until it returns a value. Resolves to undefined on timeout, disconnect or
   * server close.
   * @param ms timeout; 0: does not wait
   * @throws ApiError 503 if too many requests wait; any error of `find`
   */
  waitFor<T>(ms: number, socket: Socket, find: () => T | undefined, sender: Sender): Promise<T | undefined> {
    // The wait is added in the same turn of the event loop, so no commit is missed.
    const found = find();
    if (found !== undefined || ms === 0 || this.#isClosed || socket.destroyed) return Promise.resolve(found);
    const releaseSlot = this.#connections.hasLongLivedRoom
      ? this.#slots.take(isLocal(sender) ? undefined : sender.address)
      : undefined;
    if (releaseSlot === undefined) return Promise.reject(apiError("busy", "commit_waits"));
    const release = this.#connections.addLongLived(socket);
    return new Promise((resolve, reject) => {
      const stop = (): void => {
        this.#waits.delete(wait);
        releaseSlot();
        release();
        cancel();
        socket.off("close", wait.end);
      };
      const wait: Wait = {
        check: () => {
          try {
            const value = find();
            if (value === undefined) return;
            stop();
            resolve(value);
          } catch (error) {
            stop();
            reject(error);
          }
        },
        end: () => {
          stop();
          resolve(undefined);
        },
      };
      this.#waits.add(wait);
      const cancel = this.#clock.after(ms, wait.end);
      socket.once("close", wait.end);
    });
  }

  close(): void {
    this.#isClosed = true;
    this.#unsubscribe();
    for (const wait of [...this.#waits]) wait.end();
  }
}
