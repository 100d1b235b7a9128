import type { Clock } from "../interfaces.ts";
import { canBeLeaf, type JobQueue, type QueuedJob } from "./job-queue.ts";

export interface MerkleBatcherOptions {
  readonly mode: "batch" | "merkle";
  /** Maximum wait of a hash for its tree, ms. */
  readonly treeMs: number;
  /** A tree is made as soon as this many hashes wait. */
  readonly treeLeaves: number;
}

/** Decides when waiting hashes become a Merkle tree. */
export class MerkleBatcher {
  readonly #queue: JobQueue;
  readonly #clock: Pick<Clock, "now">;
  readonly #options: MerkleBatcherOptions;

  constructor(queue: JobQueue, clock: Pick<Clock, "now">, options: MerkleBatcherOptions) {
    this.#queue = queue;
    this.#clock = clock;
    this.#options = options;
  }

  willBatch(job: QueuedJob): boolean {
    return this.#options.mode === "merkle" && canBeLeaf(job);
  }

  get unbatchedCount(): number {
    const { waitingCount, waitingLeafCount } = this.#queue;
    return this.#options.mode === "merkle" ? waitingCount - waitingLeafCount : waitingCount;
  }

  /** @returns true if a root was queued @throws DiskError */
  async makeTrees(isStopped: () => boolean): Promise<boolean> {
    const { treeLeaves } = this.#options;
    let hasNewRoot = false;
    for (;;) {
      // Read only the oldest leaf at first: `makeTrees` runs for each new hash.
      const [oldest] = this.#oldestLeaves(1);
      if (oldest === undefined || isStopped()) return hasNewRoot;
      const isDue = this.#msUntil(oldest) <= 0;
      if (!isDue && this.#queue.waitingLeafCount < treeLeaves) return hasNewRoot;
      const leaves = this.#oldestLeaves(treeLeaves);
      // Some counted leaves may not be on disk yet.
      if (!isDue && leaves.length < treeLeaves) return hasNewRoot;
      await this.#queue.replaceWithTree(leaves, this.#clock.now());
      hasNewRoot = true;
    }
  }

  /** Returns the time until the next tree, ms, at least 1; undefined if no hash waits. */
  msUntilNext(): number | undefined {
    const [oldest] = this.#oldestLeaves(1);
    return oldest && Math.max(1, this.#msUntil(oldest));
  }

  #oldestLeaves(limit: number): QueuedJob[] {
    const isEmpty = this.#options.mode !== "merkle" || this.#queue.waitingLeafCount === 0;
    return isEmpty ? [] : this.#queue.oldestWaiting(limit, canBeLeaf);
  }

  #msUntil({ since }: QueuedJob): number {
    const now = this.#clock.now();
    // Setting the clock back must not delay the tree.
    return Math.min(since, now) + this.#options.treeMs - now;
  }
}
