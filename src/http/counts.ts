/** Counts shared by the HTTP threads. */
import { recordOf } from "../runtime/metrics.ts";
import {
  LocalOriginCounts,
  type OriginCounts,
  type RunExclusively,
  runUnlocked,
} from "../runtime/origin-slots.ts";
import { SharedLock } from "../runtime/threads/shared-lock.ts";
import { type NumberMap, SharedNumberMap } from "../runtime/threads/shared-number-map.ts";
import { localSum, SharedSum, type Sum } from "../runtime/threads/sum.ts";

/** Above this number of origins, new ones share counts in groups. */
export const MAX_SENDERS = 100_000;
export const SENDER_GROUPS = 4_096;
/** The same limit for origins of wrong keys. */
export const MAX_GUESSERS = 10_000;
export const GUESSER_GROUPS = 256;

/**
 * Counted by origin. `waits`: requests waiting for commits; `delayed`: delayed answers to wrong keys; `files`: lists
 * sent as files.
 */
const slotKinds = ["connections", "streams", "unitStreams", "waits", "delayed", "files"] as const;
/** Counted by thread. `calls`: calls to the main thread in progress. */
const sumKinds = ["longLived", "unreadBytes", "calls", "requests"] as const;

type SlotKind = (typeof slotKinds)[number];
type SumKind = (typeof sumKinds)[number];

export interface HttpCounts extends Record<SlotKind, OriginCounts>, Record<SumKind, Sum> {
  readonly threads: number;
  /** Index of this thread. */
  readonly thread: number;
  /** Must wrap every use of maps and origin counts. Do not nest calls. */
  readonly runExclusively: RunExclusively;
  /** Requests by origin in the window of the rate limit. */
  readonly senders: NumberMap;
  /** End of that window, monotonic, ms. */
  readonly windowEnd: Float64Array;
  /** Wrong keys by origin. */
  readonly guesses: NumberMap;
  /** Time of the newest wrong key by origin, monotonic, ms. */
  readonly newestGuess: NumberMap;
  /** The newest timestamp given to a transaction, ms since 1970. */
  readonly lastTimestamp: BigInt64Array;
  /** Number of HTTP thread restarts. */
  readonly restarts: Int32Array;
}

export function localHttpCounts(): HttpCounts {
  return {
    threads: 1,
    thread: 0,
    runExclusively: runUnlocked,
    senders: new Map(),
    windowEnd: new Float64Array(1),
    guesses: new Map(),
    newestGuess: new Map(),
    lastTimestamp: new BigInt64Array(1),
    restarts: new Int32Array(1),
    ...recordOf(slotKinds, () => new LocalOriginCounts()),
    ...recordOf(sumKinds, localSum),
  };
}

/** Plain data for other threads; copies share the memory. */
export interface SharedHttpCounts {
  readonly threads: number;
  readonly lock: SharedArrayBuffer;
  readonly senders: SharedArrayBuffer;
  readonly windowEnd: SharedArrayBuffer;
  readonly guesses: SharedArrayBuffer;
  readonly newestGuess: SharedArrayBuffer;
  readonly lastTimestamp: SharedArrayBuffer;
  readonly restarts: SharedArrayBuffer;
  readonly sums: Readonly<Record<SumKind, SharedArrayBuffer>>;
  readonly slots: Readonly<Record<SlotKind, SharedSlots>>;
}

interface SharedSlots {
  readonly totals: SharedArrayBuffer;
  readonly byOrigin: readonly SharedArrayBuffer[];
}

/** @param seed secret hash seed of this process, 32 bits */
export function shareHttpCounts(threads: number, maxConnections: number, seed: number): SharedHttpCounts {
  const cells = (): SharedArrayBuffer => new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT * threads);
  const number = (): SharedArrayBuffer => new SharedArrayBuffer(8);
  const map = (entries: number): SharedArrayBuffer => SharedNumberMap.memory(entries, seed);
  return {
    threads,
    lock: SharedLock.memory(),
    senders: map(MAX_SENDERS + SENDER_GROUPS),
    windowEnd: number(),
    guesses: map(MAX_GUESSERS + GUESSER_GROUPS),
    newestGuess: map(MAX_GUESSERS + GUESSER_GROUPS),
    lastTimestamp: number(),
    restarts: number(),
    sums: recordOf(sumKinds, cells),
    slots: recordOf(slotKinds, () => ({
      totals: cells(),
      // Connections above the limit are counted until closed.
      byOrigin: Array.from({ length: threads }, () => map(2 * maxConnections)),
    })),
  };
}

export function sharedHttpCounts(shared: SharedHttpCounts, thread: number): HttpCounts {
  const { threads, sums, slots } = shared;
  const lock = new SharedLock(shared.lock, thread);
  return {
    threads,
    thread,
    runExclusively: (task) => lock.run(task),
    senders: new SharedNumberMap(shared.senders),
    windowEnd: new Float64Array(shared.windowEnd),
    guesses: new SharedNumberMap(shared.guesses),
    newestGuess: new SharedNumberMap(shared.newestGuess),
    lastTimestamp: new BigInt64Array(shared.lastTimestamp),
    restarts: new Int32Array(shared.restarts),
    ...recordOf(slotKinds, (kind) => new SharedOriginCounts(slots[kind], thread)),
    ...recordOf(sumKinds, (kind) => new SharedSum(new Int32Array(sums[kind]), thread)),
  };
}

export function resetThread({ lock, sums, slots }: SharedHttpCounts, thread: number): void {
  const shared = new SharedLock(lock, thread);
  shared.releaseFor(thread);
  shared.run(() => {
    for (const memory of Object.values(sums)) Atomics.store(new Int32Array(memory), thread, 0);
    for (const { totals, byOrigin } of Object.values(slots)) {
      Atomics.store(new Int32Array(totals), thread, 0);
      new SharedNumberMap(byOrigin[thread]).clear();
    }
  });
}

class SharedOriginCounts implements OriginCounts {
  readonly #total: SharedSum;
  readonly #maps: readonly SharedNumberMap[];
  readonly #own: SharedNumberMap;

  constructor({ totals, byOrigin }: SharedSlots, thread: number) {
    this.#total = new SharedSum(new Int32Array(totals), thread);
    this.#maps = byOrigin.map((memory) => new SharedNumberMap(memory));
    this.#own = this.#maps[thread];
  }

  get total(): number {
    return this.#total.total;
  }

  of(origin: string): number {
    let count = 0;
    for (const map of this.#maps) count += map.get(origin) ?? 0;
    return count;
  }

  add(origin: string, change: number): void {
    this.#total.add(change);
    const count = (this.#own.get(origin) ?? 0) + change;
    if (count > 0) this.#own.set(origin, count);
    else this.#own.delete(origin);
  }
}
