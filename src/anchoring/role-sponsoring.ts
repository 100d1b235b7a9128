/**
 * Finds accounts whose roles require a sponsorship to begin or end. Page 07 §9.5, §18.5. Scans blocks in order, once
 * they have enough confirmations.
 */

import { bytesEqual, bytesKey } from "../bytes/compare.ts";
import { DAY } from "../bytes/durations.ts";
import { encodeUtf8 } from "../bytes/utf8.ts";
import { lowerBound } from "../collections/binary-search.ts";
import type { WalletAccount } from "../control/index.ts";
import { addressText } from "../crypto/addresses.ts";
import type { TrustNetwork } from "../indexes/trust/trust-network.ts";
import type { ChainSnapshot } from "../interfaces.ts";
import { readVarint, valueCodec, writeVarint } from "../storage/codecs.ts";
import { DiskError } from "../storage/disk/disk-error.ts";
import { definitionOf, type Transaction } from "../transactions/index.ts";
import type { AnchoringNode } from "./anchoring-node.ts";
import type { JobQueue, QueuedJob } from "./job-queue.ts";
import { type JobContent, transactionOfJobs } from "./job-transaction.ts";

/** A slice takes about 10 ms, plus reading the block. */
const TRANSACTIONS_PER_SLICE = 500;

const PROGRESS_KEY = encodeUtf8("sponsoring");

interface SponsoringOptions {
  /** Confirmations before a block is scanned. */
  readonly depth: number;
  /** Maximum fees per day (UTC), units. */
  readonly budget: bigint;
  readonly roles: TrustNetwork;
}

type ReadOnlyNode = Omit<AnchoringNode, "inPool" | "offer" | "sign">;

interface ScanProgress {
  readonly height: number;
  readonly position: number;
  /** Days since 1970-01-01 UTC. */
  readonly day: number;
  /** Fees of this day, units. */
  readonly spent: bigint;
}

const progressValue = valueCodec<ScanProgress>(
  (writer, { height, position, day, spent }) => {
    writeVarint(writer, height);
    writeVarint(writer, position);
    writeVarint(writer, day);
    writer.i64(spent);
  },
  (reader) => ({
    height: readVarint(reader),
    position: readVarint(reader),
    day: readVarint(reader),
    spent: reader.i64(),
  }),
);

interface ScanResult {
  readonly next: ScanProgress;
  readonly removed: readonly QueuedJob[];
  readonly added: readonly JobContent[];
  /** True if the transaction at `next` cannot be handled yet. */
  readonly isBlocked: boolean;
}

/** The required change of the queue, if any. `wait` pauses the scan. */
type Change = { readonly removed: readonly QueuedJob[]; readonly add: boolean } | "wait" | undefined;

export class RoleSponsoring {
  readonly #queue: JobQueue;
  readonly #node: ReadOnlyNode;
  readonly #options: SponsoringOptions;
  #revertedFrom = Number.POSITIVE_INFINITY;
  #loggedDay = 0;

  constructor(queue: JobQueue, node: ReadOnlyNode, options: SponsoringOptions) {
    this.#queue = queue;
    this.#node = node;
    this.#options = options;
  }

  onRevert(fromHeight: number): void {
    this.#revertedFrom = Math.min(this.#revertedFrom, fromHeight);
  }

  /**
   * Scans blocks and queues jobs. No other code may send or check jobs meanwhile.
   * @throws DiskError; other errors are only logged
   */
  async scan(isStopped: () => boolean): Promise<void> {
    try {
      await this.#scan(isStopped);
    } catch (error) {
      if (error instanceof DiskError) throw error;
      this.#node.log.error("Scanning for roles to sponsor failed", { error });
    }
  }

  async #scan(isStopped: () => boolean): Promise<void> {
    const { reader, yieldToOthers } = this.#node;
    const account = this.#node.account();
    if (account === undefined || this.#node.isBehind()) return;
    const stored = this.#readProgress();
    if (stored === undefined) {
      // The first scan starts at the tip.
      const height = reader.read((chain) => chain.persistedHeight()) + 1;
      return this.#saveProgress({ height, position: 0, day: this.#day(), spent: 0n });
    }
    let saved = stored;
    let progress = this.#skipOld(stored);
    while (!isStopped()) {
      progress = this.#rewind(progress);
      const result = reader.read((chain) => this.#scanSlice(chain, account, progress));
      if (result === undefined) break;
      const { next, removed, added } = result;
      if (removed.length > 0 || added.length > 0) {
        await this.#saveProgress(next, removed, added);
        saved = next;
      }
      progress = next;
      if (result.isBlocked) break;
      await yieldToOthers();
    }
    if (progress !== saved) await this.#saveProgress(progress);
  }

  #readProgress(): ScanProgress | undefined {
    const bytes = this.#queue.readNamedValue(PROGRESS_KEY);
    return bytes && progressValue.decode(bytes);
  }

  #saveProgress(
    progress: ScanProgress,
    removed: readonly QueuedJob[] = [],
    added: readonly JobContent[] = [],
  ): Promise<void> {
    const namedValue = { name: PROGRESS_KEY, value: progressValue.encode(progress) };
    return this.#queue.replaceJobs(namedValue, removed, added, this.#node.clock.now());
  }

  #day(): number {
    return Math.floor(this.#node.clock.now() / DAY);
  }

  #rewind(progress: ScanProgress): ScanProgress {
    const height = this.#revertedFrom;
    this.#revertedFrom = Number.POSITIVE_INFINITY;
    return height <= progress.height ? { ...progress, height, position: 0 } : progress;
  }

  #skipOld(progress: ScanProgress): ScanProgress {
    const oldest = BigInt(this.#node.clock.now() - DAY);
    const height = this.#node.reader.read((chain) => {
      const isOld = (at: number): boolean => (chain.blocks.header(at)?.timestamp ?? oldest) < oldest;
      return lowerBound(progress.height, Math.max(progress.height, chain.height() + 1), isOld);
    });
    if (height === progress.height) return progress;
    this.#node.log.warn("Blocks older than a day are not scanned for roles to sponsor", {
      from: progress.height,
      to: height - 1,
    });
    return { ...progress, height, position: 0 };
  }

  #scanSlice(chain: ChainSnapshot, account: WalletAccount, progress: ScanProgress): ScanResult | undefined {
    const { height, position } = progress;
    if (height > chain.height() - this.#options.depth || chain.indexes.unready(["trust"]) !== undefined)
      return undefined;
    const { transactions } = chain.blocks.at(height) ?? { transactions: [] };
    const end = Math.min(transactions.length, position + TRANSACTIONS_PER_SLICE);
    const day = this.#day();
    let spent = day === progress.day ? progress.spent : 0n;
    const removed: QueuedJob[] = [];
    const added: JobContent[] = [];
    const checked = new Set<string>();
    for (let at = position; at < end; at++) {
      const job = this.#findJob(chain, account, transactions[at].transaction);
      if (job === undefined || checked.has(bytesKey(job.content))) continue;
      checked.add(bytesKey(job.content));
      const change = this.#findChange(chain, account, job);
      if (change === undefined) continue;
      const blocked = { next: { height, position: at, day, spent }, removed, added, isBlocked: true };
      if (change === "wait") return blocked;
      if (change.add) {
        const { fee } = transactionOfJobs(chain, this.#node.network, account, [job], this.#node.clock.now());
        if (spent + fee > this.#options.budget) {
          this.#logSpentBudget(day, job.content);
          return blocked;
        }
        if (added.length >= this.#queue.freeSlots) return blocked;
        spent += fee;
        added.push(job);
      }
      removed.push(...change.removed);
    }
    const isBlockDone = end === transactions.length;
    const next = { height: isBlockDone ? height + 1 : height, position: isBlockDone ? 0 : end, day, spent };
    return { next, removed, added, isBlocked: false };
  }

  #logSpentBudget(day: number, recipient: Uint8Array): void {
    if (this.#loggedDay === day) return;
    this.#loggedDay = day;
    this.#node.log.warn("The daily budget for sponsoring roles is spent: continuing tomorrow", {
      recipient: addressText(recipient),
    });
  }

  /** Returns a job if a transaction grants a sponsored role, or revokes the recipient's last one. */
  #findJob(chain: ChainSnapshot, account: WalletAccount, transaction: Transaction): JobContent | undefined {
    const { association } = definitionOf(transaction);
    if (association === undefined) return undefined;
    const { senderAddress: sender } = transaction;
    const { associationType, recipient: content } = association.terms(transaction);
    if (bytesEqual(content, account.address)) return undefined;
    const isSponsored = (role: string): boolean => this.#options.roles.get(role)?.sponsored === true;
    if (!association.revokes) {
      const isGranted = chain.trust
        .grantsOf(content)
        .some(
          ({ role, sender: granter, type }) =>
            isSponsored(role) && type === associationType && bytesEqual(granter, sender),
        );
      return isGranted ? { kind: "sponsor", content } : undefined;
    }
    // Anyone may revoke a nonexistent association: ignore accounts that cannot issue the role.
    if (!chain.trust.issuableRoles(sender, associationType).some(isSponsored)) return undefined;
    return chain.trust.rolesOf(content).roles.some(isSponsored) ? undefined : { kind: "cancel", content };
  }

  #findChange(chain: ChainSnapshot, account: WalletAccount, { kind, content }: JobContent): Change {
    const jobs = (["sponsor", "cancel"] as const).flatMap((each) => this.#queue.find(each, content) ?? []);
    const isOnChain = (job: QueuedJob): boolean =>
      job.dispatch !== undefined && chain.transactions.byId(job.dispatch.id) !== undefined;
    // A broadcast job cannot be withdrawn: wait until it is on the chain, then queue its opposite.
    if (jobs.some((job) => job.kind !== kind && job.dispatch !== undefined && !isOnChain(job))) return "wait";
    const isFulfilled = chain.sponsors.isSponsor(content, account.address) === (kind === "sponsor");
    // Keep a job of this kind that is needed and not on the chain, or is on the chain and in effect.
    const mustStay = (job: QueuedJob): boolean => job.kind === kind && isOnChain(job) === isFulfilled;
    const removed = jobs.filter((job) => !mustStay(job));
    const add = !isFulfilled && removed.length === jobs.length;
    return add || removed.length > 0 ? { removed, add } : undefined;
  }
}
