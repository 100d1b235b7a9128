/** Turns waiting hashes into Merkle trees: after a time, or when there are enough. */
import type { Clock } from "../interfaces.ts";
import { canBeLeaf, type JobQueue, type QueuedJob } from "./job-queue.ts";

export interface MerkleBatcherOptions {
  readonly mode: "batch" | "merkle";
  /** How long hashes are collected, ms, and the maximum number of leaves. */
  readonly treeMs: number;
  readonly treeLeaves: number;
}

export class MerkleBatcher {
  readonly #queue: JobQueue;
  readonly #clock: Pick<Clock, "now">;
  readonly #options: MerkleBatcherOptions;

  constructor(queue: JobQueue, clock: Pick<Clock, "now">, options: MerkleBatcherOptions) {
    this.#queue = queue;
    this.#clock = clock;
    this.#options = options;
  }

  /** Returns true if a job goes into a tree. */
  accepts(job: QueuedJob): boolean {
    return this.#options.mode === "merkle" && canBeLeaf(job);
  }

  get unbatchedCount(): number {
    const { waitingCount, waitingLeafCount } = this.#queue;
    return this.#options.mode === "merkle" ? waitingCount - waitingLeafCount : waitingCount;
  }

  /** Builds the trees that are due. @returns true if there is a root to send. @throws DiskError */
  async makeTrees(isStopped: () => boolean): Promise<boolean> {
    const { treeLeaves } = this.#options;
    let hasNewRoot = false;
    for (;;) {
      // Called for every new hash: usually the oldest hash and the count suffice.
      const [oldest] = this.#gathered(1);
      if (oldest === undefined || isStopped()) return hasNewRoot;
      const isTime = this.#msUntil(oldest) <= 0;
      if (!isTime && this.#queue.waitingLeafCount < treeLeaves) return hasNewRoot;
      const leaves = this.#gathered(treeLeaves);
      // Some may not be on disk yet.
      if (!isTime && leaves.length < treeLeaves) return hasNewRoot;
      await this.#queue.replaceWithTree(leaves, this.#clock.now());
      hasNewRoot = true;
    }
  }

  /** Returns the time until the next tree, ms, at least 1; undefined if no hash waits. */
  msUntilNext(): number | undefined {
    const [oldest] = this.#gathered(1);
    return oldest && Math.max(1, this.#msUntil(oldest));
  }

  #gathered(limit: number): QueuedJob[] {
    const none = this.#options.mode !== "merkle" || this.#queue.waitingLeafCount === 0;
    return none ? [] : this.#queue.oldestWaiting(limit, canBeLeaf);
  }

  /** Returns how long hashes are still collected, ms, if this one is the oldest. */
  #msUntil({ since }: QueuedJob): number {
    const now = this.#clock.now();
    // A clock that was set back must not delay the tree.
    return Math.min(since, now) + this.#options.treeMs - now;
  }
}
