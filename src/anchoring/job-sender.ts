/**
 * Sends queued jobs after each block, or when they fill a transaction. Page 07 §7.8, §18.5. Stores transactions before
 * it broadcasts them, and offers lost transactions again.
 */
import { encodeBase58 } from "../bytes/base58.ts";
import type { AnchorQueueInfo, QueuedAnchor } from "../control/index.ts";
import { addressText } from "../crypto/addresses.ts";
import type { Cancel, UnitChanges } from "../interfaces.ts";
import { refusalMessage } from "../ledger/refusal.ts";
import { type Metrics, noMetrics } from "../runtime/metrics.ts";
import { DiskError } from "../storage/disk/disk-error.ts";
import {
  bodyBytes,
  copyTransaction,
  type Transaction,
  transactionBytes,
  transactionId,
} from "../transactions/index.ts";
import type { AnchoringNode } from "./anchoring-node.ts";
import { DispatchMonitor } from "./dispatch-monitor.ts";
import type { AddResult, JobQueue, QueuedDispatch, QueuedJob } from "./job-queue.ts";
import { transactionOfJobs } from "./job-transaction.ts";
import { MerkleBatcher, type MerkleBatcherOptions } from "./merkle-batcher.ts";
import { anchoringMetrics, type BatchCounters, batchCounters } from "./metrics.ts";
import type { RoleSponsoring } from "./role-sponsoring.ts";
import type { JobKind } from "./tables.ts";

/** Per transaction: page 02 §10.8. */
const MAX_HASHES = 100;
const MS_PER_SECOND = 1_000;

const sentMessages: Readonly<Record<JobKind, string>> = {
  hash: "Broadcast pending anchors",
  root: "Broadcast pending anchors",
  sponsor: "Broadcast a sponsorship for a role",
  cancel: "Broadcast the end of a sponsorship: the role was revoked",
};

interface SenderOptions extends MerkleBatcherOptions {
  /** In blocks. */
  readonly rollbackDepth: number;
}

interface SenderProblem {
  readonly text: string;
  /** Ms since 1970. */
  readonly since: number;
}

export class JobSender {
  readonly queue: JobQueue;
  readonly #node: AnchoringNode;
  readonly #options: SenderOptions;
  readonly #sponsoring: RoleSponsoring | undefined;
  readonly #monitor: DispatchMonitor;
  readonly #batcher: MerkleBatcher;
  readonly #batches: BatchCounters;
  readonly #stopObserving: () => void;
  #problem: SenderProblem | undefined;
  /** A full round also checks dispatches, and sends jobs that do not fill a transaction. */
  #isFullRoundDue = true;
  #running: Promise<void> | undefined;
  #isRoundRequested = false;
  #isStopped = false;
  #cancelTimer: Cancel | undefined;
  #lastTimestamp = 0;

  constructor(
    queue: JobQueue,
    node: AnchoringNode,
    options: SenderOptions,
    sponsoring?: RoleSponsoring | undefined,
  ) {
    this.queue = queue;
    this.#node = node;
    this.#options = options;
    this.#sponsoring = sponsoring;
    this.#batcher = new MerkleBatcher(queue, node.clock, options);
    this.#batches = batchCounters(node.metrics);
    this.#monitor = new DispatchMonitor(
      queue,
      node,
      options.rollbackDepth,
      (dispatch, transaction) => this.#offer(dispatch, transaction),
      () => this.#batches.final.add(),
    );
    this.#stopObserving = this.#observe(node.metrics ?? noMetrics);
  }

  get problem(): SenderProblem | undefined {
    return this.#problem;
  }

  async start(): Promise<void> {
    await this.queue.dropLeaves();
    this.wake();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#stopObserving();
    this.#cancelTimer?.();
    await this.#running;
    await this.queue.whenWritten();
  }

  onChainChange({ reverted, committed }: UnitChanges): void {
    if (reverted.length > 0) {
      const from = Math.min(...reverted.map(({ height }) => height));
      this.#monitor.onRevert(from);
      this.#sponsoring?.onRevert(from);
    }
    if (reverted.length === 0 && committed.every(({ sequence }) => sequence > 0)) return;
    this.#isFullRoundDue = true;
    this.wake();
  }

  /** Starts a round, now or after the current one. */
  wake(): void {
    if (this.#isStopped) return;
    if (this.#running !== undefined) {
      this.#isRoundRequested = true;
      return;
    }
    this.#running = this.#work().finally(() => {
      this.#running = undefined;
    });
  }

  /**
   * Queues a hash. If a stored tree contains the hash, queues the tree's root instead, unless the root is on the chain.
   * Resolves when the job is on disk.
   * @throws DiskError; nothing is then queued
   */
  async add(hash: Uint8Array): Promise<AddResult> {
    const treeRoot = this.queue.rootOf(hash);
    const now = this.#node.clock.now();
    if (treeRoot === undefined) return this.#wakeIfReady(await this.queue.add("hash", hash, now));
    if (this.#node.reader.read((chain) => chain.anchors.first(treeRoot)) !== undefined) return "known";
    return this.#wakeIfReady(await this.queue.add("root", treeRoot, now));
  }

  #wakeIfReady(added: AddResult): AddResult {
    if (added === "added" && (this.#options.mode === "merkle" || this.queue.waitingCount >= MAX_HASHES))
      this.wake();
    return added;
  }

  findQueued(hash: Uint8Array): QueuedAnchor | undefined {
    const job = this.queue.find("hash", hash);
    if (job !== undefined) return { since: job.since, transactionId: job.dispatch?.id };
    const treeRoot = this.queue.rootOf(hash);
    const root = treeRoot && this.queue.find("root", treeRoot);
    return root && { since: undefined, transactionId: root.dispatch?.id };
  }

  info(limit: number): Omit<AnchorQueueInfo, "mode"> {
    const sent = [];
    for (const { id, jobs } of this.queue.dispatches()) {
      if (sent.length >= limit) break;
      sent.push({ transactionId: id, count: jobs.length });
    }
    const [oldest] = this.queue.waiting();
    return {
      waiting: this.queue.waitingCount,
      limit: this.queue.limit,
      oldestSince: oldest?.since,
      sent,
      sentCount: this.queue.dispatchCount,
      problem: this.#problem,
    };
  }

  async whenIdle(): Promise<void> {
    while (this.#running !== undefined) await this.#running;
  }

  async #work(): Promise<void> {
    do {
      this.#isRoundRequested = false;
      try {
        await this.#round();
      } catch (error) {
        if (error instanceof DiskError) this.#reportProblem(error.message);
        else {
          this.#reportProblem("internal error, see the log");
          this.#node.log.error("Broadcasting pending anchors failed", { error });
        }
      }
    } while (this.#isRoundRequested && !this.#isStopped);
    this.#setTimer();
  }

  async #round(): Promise<void> {
    const isFullRound = this.#isFullRoundDue;
    if (isFullRound) {
      this.#isFullRoundDue = false;
      await this.#monitor.check(() => this.#isStopped);
      await this.#sponsoring?.scan(() => this.#isStopped);
      if (this.queue.waitingCount === 0) this.#problem = undefined;
    }
    const hasNewRoot = await this.#batcher.makeTrees(() => this.#isStopped);
    const sendsAll = isFullRound || hasNewRoot;
    // Failed jobs are retried with the next block, not with each new hash.
    if (!sendsAll && this.#problem !== undefined) return;
    if (this.#batcher.unbatchedCount >= (sendsAll ? 1 : MAX_HASHES)) await this.#send(sendsAll);
  }

  async #send(sendsAll: boolean): Promise<void> {
    if (this.#node.isBehind()) {
      this.#reportProblem("the node is catching up with the chain");
      return;
    }
    for (;;) {
      const oldest = this.queue.oldestWaiting(MAX_HASHES, (job) => !this.#batcher.willBatch(job));
      if (this.#isStopped || oldest.length === 0 || (!sendsAll && oldest.length < MAX_HASHES)) return;
      const hashes = oldest.filter(({ kind }) => kind === "hash" || kind === "root");
      const jobs = hashes.length > 0 ? distinct(hashes) : oldest.slice(0, 1);
      if (!(await this.#sendTransaction(jobs))) return;
    }
  }

  /** Returns false if these and all other jobs must wait. */
  async #sendTransaction(jobs: readonly QueuedJob[]): Promise<boolean> {
    const transaction = this.#buildTransaction(jobs);
    if (transaction === undefined) return false;
    const id = transactionId(transaction);
    const dispatch = await this.queue.dispatch(id, transactionBytes(transaction), jobs);
    if (!(await this.#offer(dispatch, transaction))) return false;
    this.#problem = undefined;
    this.#node.log.info(sentMessages[jobs[0].kind], {
      transaction: encodeBase58(id),
      count: jobs.length,
    });
    return true;
  }

  #buildTransaction(jobs: readonly QueuedJob[]): Transaction | undefined {
    const { clock, network, reader, sign } = this.#node;
    const account = this.#node.account();
    if (account === undefined) {
      this.#reportProblem("the wallet does not hold the configured account");
      return undefined;
    }
    // A new timestamp gives a retried transaction a new id.
    this.#lastTimestamp = Math.max(clock.now(), this.#lastTimestamp + 1);
    const transaction = reader.read((chain) =>
      transactionOfJobs(chain, network, account, jobs, this.#lastTimestamp),
    );
    return copyTransaction(transaction, { proofs: [sign(account.address, bodyBytes(transaction))] });
  }

  /** Returns false if the pool did not accept the transaction. After a rejection, the jobs wait again. */
  async #offer(dispatch: QueuedDispatch, transaction: Transaction): Promise<boolean> {
    const outcome = await this.#node.offer(transaction);
    if (outcome.ok) {
      this.#batches.accepted.add();
      return true;
    }
    // The pool is busy or late: the monitor retries with the next block.
    if (typeof outcome.error === "string") {
      this.#batches.postponed.add();
      return false;
    }
    // A block with the transaction may have arrived.
    if (this.#node.reader.read((chain) => chain.transactions.byId(dispatch.id)) !== undefined) return true;
    const reason = refusalMessage(outcome.error);
    const [{ kind, content }] = dispatch.jobs;
    if (kind === "sponsor" || kind === "cancel") {
      const { reader, account } = this.#node;
      const payer = account();
      const isSponsor =
        payer !== undefined && reader.read((chain) => chain.sponsors.isSponsor(content, payer.address));
      if (isSponsor === (kind === "sponsor")) {
        this.#node.log.info("A sponsorship for a role is already correct", { reason });
        await this.queue.finish(dispatch);
        return true;
      }
    }
    this.#batches.refused.add();
    this.#reportProblem(`the transaction is refused: ${reason}`);
    await this.queue.release(dispatch);
    return false;
  }

  #observe(metrics: Metrics): () => void {
    const { queue } = this;
    const stopObservers = [
      metrics.observe(anchoringMetrics.pending, () => [
        [{ state: "waiting" }, queue.waitingCount],
        [{ state: "sent" }, queue.size - queue.waitingCount],
      ]),
      metrics.observe(anchoringMetrics.limit, () => queue.limit),
      metrics.observe(anchoringMetrics.oldest, () => {
        const [oldest] = queue.waiting();
        return oldest === undefined ? 0 : Math.max(0, this.#node.clock.now() - oldest.since) / MS_PER_SECOND;
      }),
      metrics.observe(anchoringMetrics.failing, () => (this.#problem === undefined ? 0 : 1)),
    ];
    return () => {
      for (const stop of stopObservers) stop();
    };
  }

  #reportProblem(text: string): void {
    if (this.#problem?.text === text) return;
    const account = this.#node.account();
    this.#problem = { text, since: this.#node.clock.now() };
    this.#node.log.warn(`Pending anchors cannot be broadcast, retrying with the next block: ${text}`, {
      waiting: this.queue.waitingCount,
      account: account && addressText(account.address),
    });
  }

  #setTimer(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    const ms = this.#isStopped ? undefined : this.#batcher.msUntilNext();
    if (ms !== undefined) this.#cancelTimer = this.#node.clock.after(ms, () => this.wake());
  }
}

/** Omits repeated contents: a hash can equal a root. */
function distinct(jobs: readonly QueuedJob[]): QueuedJob[] {
  const byHash = new Map(jobs.map((job) => [encodeBase58(job.content), job]));
  return [...byHash.values()];
}
