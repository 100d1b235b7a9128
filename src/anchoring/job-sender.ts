/**
 * Puts the jobs of the queue on the chain, and watches that they stay there. Page 07 §7.8, §18.5. With every new block,
 * and when enough has come together, what waits becomes transactions; each is kept on disk before anybody is told of it. One
 * that is neither on the chain nor in the pool is offered again; one that is refused is given up, and its jobs wait again.
 * Nothing is forgotten before its block is out of reach of rollbacks.
 */
import { encodeBase58 } from "../bytes/base58.ts";
import type { AnchorQueueInfo, QueuedAnchor } from "../control/index.ts";
import { addressText } from "../crypto/addresses.ts";
import type { Cancel, UnitChanges } from "../interfaces.ts";
import { refusalMessage } from "../ledger/refusal.ts";
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
import type { RoleSponsoring } from "./role-sponsoring.ts";
import type { JobKind } from "./tables.ts";

/** Hashes that one transaction anchors at most. Page 02 §10.8. */
const MAX_HASHES = 100;

/** Log messages for transactions that were sent. */
const sentMessages: Readonly<Record<JobKind, string>> = {
  hash: "Broadcast pending anchors",
  root: "Broadcast pending anchors",
  sponsor: "Broadcast a sponsorship for a role",
  cancel: "Broadcast the end of a sponsorship: the role was revoked",
};

interface SenderOptions extends MerkleBatcherOptions {
  /** How many blocks can be undone: what lies deeper stays. */
  readonly rollbackDepth: number;
}

/** Why nothing is sent, and since when (ms). */
interface SenderProblem {
  readonly text: string;
  readonly since: number;
}

export class JobSender {
  readonly queue: JobQueue;
  readonly #node: AnchoringNode;
  readonly #options: SenderOptions;
  readonly #sponsoring: RoleSponsoring | undefined;
  readonly #monitor: DispatchMonitor;
  readonly #batcher: MerkleBatcher;
  #problem: SenderProblem | undefined;
  /** Whether a block came since jobs were sent. */
  #due = true;
  #running: Promise<void> | undefined;
  #again = false;
  #stopped = false;
  #cancelTimer: Cancel | undefined;
  #lastTime = 0;

  /** @param sponsoring looks at each new block what else is to be sent; undefined: nothing is */
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
    this.#monitor = new DispatchMonitor(queue, node, options.rollbackDepth, (dispatch, transaction) =>
      this.#offer(dispatch, transaction),
    );
  }

  get problem(): SenderProblem | undefined {
    return this.#problem;
  }

  /** Goes on with what an earlier run of the node left. */
  async start(): Promise<void> {
    await this.queue.dropLeaves();
    this.wake();
  }

  /** Ends what is under way at its next step. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#cancelTimer?.();
    await this.#running;
    await this.queue.settled();
  }

  /** To be told of every change of the chain. */
  follow({ reverted, committed }: UnitChanges): void {
    if (reverted.length > 0) {
      const from = Math.min(...reverted.map(({ height }) => height));
      this.#monitor.reverted(from);
      this.#sponsoring?.reverted(from);
    }
    if (reverted.length === 0 && committed.every(({ sequence }) => sequence > 0)) return;
    this.#due = true;
    this.wake();
  }

  /** Looks whether there is something to be done. */
  wake(): void {
    if (this.#stopped) return;
    if (this.#running !== undefined) {
      this.#again = true;
      return;
    }
    this.#running = this.#work().finally(() => {
      this.#running = undefined;
    });
  }

  /**
   * Takes a hash; resolves when it is on the disk. A leaf of a tree is taken once and for all: only where the root has
   * left the chain, by a rollback deeper than any that was expected, it is sent again.
   * @throws DiskError: then it is not taken
   */
  async add(hash: Uint8Array): Promise<AddResult> {
    const treeRoot = this.queue.rootOf(hash);
    const now = this.#node.clock.now();
    if (treeRoot === undefined) return this.#woken(await this.queue.add("hash", hash, now));
    if (this.#node.reader.read((chain) => chain.anchors.first(treeRoot)) !== undefined) return "known";
    return this.#woken(await this.queue.add("root", treeRoot, now));
  }

  #woken(added: AddResult): AddResult {
    if (added === "added" && (this.#options.mode === "merkle" || this.queue.waitingCount >= MAX_HASHES))
      this.wake();
    return added;
  }

  /** What became of a hash that was taken. */
  queued(hash: Uint8Array): QueuedAnchor | undefined {
    const job = this.queue.find("hash", hash);
    if (job !== undefined) return { since: job.since, transactionId: job.dispatch?.id };
    const treeRoot = this.queue.rootOf(hash);
    const root = treeRoot && this.queue.find("root", treeRoot);
    return root && { since: undefined, transactionId: root.dispatch?.id };
  }

  /** @param limit of transactions that were sent */
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
      oldest: oldest?.since,
      sent,
      sentCount: this.queue.dispatchCount,
      problem: this.#problem,
    };
  }

  /** Resolves when nothing is under way. */
  async idle(): Promise<void> {
    while (this.#running !== undefined) await this.#running;
  }

  async #work(): Promise<void> {
    do {
      this.#again = false;
      try {
        await this.#round();
      } catch (error) {
        if (error instanceof DiskError) this.#fail(error.message);
        else {
          this.#fail("a fault of the node, of which its log says more");
          this.#node.log.error("Sending what waits to be anchored failed", { error });
        }
      }
    } while (this.#again && !this.#stopped);
    this.#setTimer();
  }

  async #round(): Promise<void> {
    const due = this.#due;
    if (due) {
      this.#due = false;
      await this.#monitor.check(() => this.#stopped);
      // Behind the watching, which knows what became of the jobs, and before the sending: nobody else changes them now.
      await this.#sponsoring?.scan(() => this.#stopped);
      if (this.queue.waitingCount === 0) this.#problem = undefined;
    }
    const planted = await this.#batcher.makeTrees(() => this.#stopped);
    const all = due || planted;
    // What could not be sent is tried again with the next block, not with every hash that comes.
    if (!all && this.#problem !== undefined) return;
    if (this.#batcher.unbatchedCount >= (all ? 1 : MAX_HASHES)) await this.#send(all);
  }

  /** @param all whether less than a full transaction is sent too */
  async #send(all: boolean): Promise<void> {
    if (this.#node.isBehind()) {
      this.#fail("the node is catching up with the chain");
      return;
    }
    for (;;) {
      const next = this.queue.oldestWaiting(MAX_HASHES, (job) => !this.#batcher.accepts(job));
      if (this.#stopped || next.length === 0 || (!all && next.length < MAX_HASHES)) return;
      const hashes = next.filter(({ kind }) => kind === "hash" || kind === "root");
      const jobs = hashes.length > 0 ? distinct(hashes) : next.slice(0, 1);
      if (!(await this.#sendOne(jobs))) return;
    }
  }

  /** @returns whether it is on its way */
  async #sendOne(jobs: readonly QueuedJob[]): Promise<boolean> {
    const transaction = this.#made(jobs);
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

  /** The signed transaction of jobs; undefined where there can be none now. */
  #made(jobs: readonly QueuedJob[]): Transaction | undefined {
    const { clock, network, reader, sign } = this.#node;
    const account = this.#node.account();
    if (account === undefined) {
      this.#fail("the wallet does not hold the account");
      return undefined;
    }
    // Transactions of the same jobs differ in their times.
    this.#lastTime = Math.max(clock.now(), this.#lastTime + 1);
    const transaction = reader.read((chain) =>
      transactionOfJobs(chain, network, account, jobs, this.#lastTime),
    );
    return copyTransaction(transaction, { proofs: [sign(account.address, bodyBytes(transaction))] });
  }

  /**
   * Offers a transaction to the pool. One that is refused is given up.
   * @returns whether it is in the pool
   */
  async #offer(dispatch: QueuedDispatch, transaction: Transaction): Promise<boolean> {
    const outcome = await this.#node.offer(transaction);
    if (outcome.ok) return true;
    // Whoever has no time for it now is asked again with the next block.
    if (typeof outcome.error === "string") return false;
    // It may have come into a block since it was looked for.
    if (this.#node.reader.read((chain) => chain.transactions.byId(dispatch.id)) !== undefined) return true;
    const reason = refusalMessage(outcome.error);
    const [{ kind, content }] = dispatch.jobs;
    if (kind === "sponsor" || kind === "cancel") {
      const { reader, account } = this.#node;
      const payer = account();
      const isSponsor =
        payer !== undefined && reader.read((chain) => chain.sponsors.isSponsor(content, payer.address));
      if (isSponsor === (kind === "sponsor")) {
        this.#node.log.info("A sponsorship for a role is as it shall be already", { reason });
        await this.queue.finish(dispatch);
        return true;
      }
    }
    this.#fail(`the transaction is refused: ${reason}`);
    await this.queue.release(dispatch);
    return false;
  }

  /** Says once why nothing is sent. */
  #fail(text: string): void {
    if (this.#problem?.text === text) return;
    const account = this.#node.account();
    this.#problem = { text, since: this.#node.clock.now() };
    this.#node.log.warn(`What waits to be anchored is kept and tried again with the next block: ${text}`, {
      waiting: this.queue.waitingCount,
      account: account && addressText(account.address),
    });
  }

  #setTimer(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    const ms = this.#stopped ? undefined : this.#batcher.msUntilNext();
    if (ms !== undefined) this.#cancelTimer = this.#node.clock.after(ms, () => this.wake());
  }
}

/** A transaction anchors nothing twice. */
function distinct(jobs: readonly QueuedJob[]): QueuedJob[] {
  const byHash = new Map(jobs.map((job) => [encodeBase58(job.content), job]));
  return [...byHash.values()];
}
