/** When hashes that wait become a tree: once they have been gathered for a time, or there are enough of them. */
import type { Clock } from "../interfaces.ts";
import { canBeLeaf, type JobQueue, type QueuedJob } from "./job-queue.ts";

export interface MerkleBatcherOptions {
  readonly mode: "batch" | "merkle";
  /** How long hashes are gathered for a tree, ms, and how many are at most. */
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

  /** Whether a job goes into a tree first. */
  accepts(job: QueuedJob): boolean {
    return this.#options.mode === "merkle" && canBeLeaf(job);
  }

  /** How many jobs wait that go into no tree. */
  get unbatchedCount(): number {
    const { waitingCount, waitingLeafCount } = this.#queue;
    return this.#options.mode === "merkle" ? waitingCount - waitingLeafCount : waitingCount;
  }

  /** Makes trees of what was gathered, when it is time. @returns whether there is a root to be sent. @throws DiskError */
  async makeTrees(isStopped: () => boolean): Promise<boolean> {
    const { treeLeaves } = this.#options;
    let planted = false;
    for (;;) {
      // It is asked with every hash that comes: most of the time the oldest one and their number tell.
      const [oldest] = this.#gathered(1);
      if (oldest === undefined || isStopped()) return planted;
      const isTime = this.#msUntil(oldest) <= 0;
      if (!isTime && this.#queue.waitingLeafCount < treeLeaves) return planted;
      const leaves = this.#gathered(treeLeaves);
      // Some may be on their way to the disk.
      if (!isTime && leaves.length < treeLeaves) return planted;
      await this.#queue.replaceWithTree(leaves, this.#clock.now());
      planted = true;
    }
  }

  /** How long it is until the next tree, ms, at least 1; undefined: nothing is gathered. */
  msUntilNext(): number | undefined {
    const [oldest] = this.#gathered(1);
    return oldest && Math.max(1, this.#msUntil(oldest));
  }

  /** Returns the oldest hashes that wait for a tree. */
  #gathered(limit: number): QueuedJob[] {
    const none = this.#options.mode !== "merkle" || this.#queue.waitingLeafCount === 0;
    return none ? [] : this.#queue.oldestWaiting(limit, canBeLeaf);
  }

  /** How long hashes are still gathered, ms, where this one is the oldest. */
  #msUntil({ since }: QueuedJob): number {
    const now = this.#clock.now();
    // A clock that was set back does not prolong it.
    return Math.min(since, now) + this.#options.treeMs - now;
  }
}
