/**
 * Finds in the chain who is to be sponsored for a role, and who no longer. Page 07 §9.5, §18.5. Blocks are looked at one
 * after the other once they are deep enough, and only tell whom to look at: what is done follows from what the chain says
 * now. The place behind that which was looked at is kept with the jobs, in one commit.
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

/** Transactions that one turn of the event loop looks at: some 10 ms, beside the reading of their block. */
const TRANSACTIONS_PER_SLICE = 500;

const PROGRESS_KEY = encodeUtf8("sponsoring");

interface SponsoringOptions {
  /** Blocks that must stand upon one that is looked at. */
  readonly depth: number;
  /** What may be spent on fees in a day (UTC), units. */
  readonly budget: bigint;
  /** Which roles there are. */
  readonly roles: TrustNetwork;
}

type ReadingNode = Omit<AnchoringNode, "inPool" | "offer" | "sign">;

/** From where to go on, and what was spent on a day. */
interface ScanProgress {
  readonly height: number;
  /** Of the next transaction in the block. */
  readonly position: number;
  /** Days since 1970 UTC. */
  readonly day: number;
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

/** What was found in a part of a block. */
interface ScanResult {
  readonly next: ScanProgress;
  readonly gone: readonly QueuedJob[];
  readonly added: readonly JobContent[];
  /** Whether what stands at `next` has to wait. */
  readonly isBlocked: boolean;
}

/** What a wish comes to. */
type Change = { readonly gone: readonly QueuedJob[]; readonly add: boolean } | "wait" | undefined;

export class RoleSponsoring {
  readonly #queue: JobQueue;
  readonly #node: ReadingNode;
  readonly #options: SponsoringOptions;
  /** The lowest height that left the chain since the last look. */
  #revertedFrom = Number.POSITIVE_INFINITY;
  /** The day on which was said that the budget is spent. */
  #loggedDay = 0;

  constructor(queue: JobQueue, node: ReadingNode, options: SponsoringOptions) {
    this.#queue = queue;
    this.#node = node;
    this.#options = options;
  }

  /** To be told from which height on blocks left the chain. */
  reverted(height: number): void {
    this.#revertedFrom = Math.min(this.#revertedFrom, height);
  }

  /**
   * Looks at what has become deep enough, and adds and removes jobs. Nobody else may send or watch them meanwhile.
   * @throws DiskError; other faults are logged only
   */
  async scan(isStopped: () => boolean): Promise<void> {
    try {
      await this.#scan(isStopped);
    } catch (error) {
      if (error instanceof DiskError) throw error;
      this.#node.log.error("Looking for accounts to sponsor failed", { error });
    }
  }

  async #scan(isStopped: () => boolean): Promise<void> {
    const { reader, yieldToOthers } = this.#node;
    const account = this.#node.account();
    if (account === undefined || this.#node.isBehind()) return;
    const kept = this.#read();
    if (kept === undefined) {
      // What is on the chain already is not made up for.
      const height = reader.read((chain) => chain.persistedHeight()) + 1;
      return this.#keep({ height, position: 0, day: this.#day(), spent: 0n });
    }
    let saved = kept;
    let progress = this.#skipOld(kept);
    while (!isStopped()) {
      progress = this.#withoutReverted(progress);
      const finding = reader.read((chain) => this.#find(chain, account, progress));
      if (finding === undefined) break;
      const { next, gone, added } = finding;
      if (gone.length > 0 || added.length > 0) {
        await this.#keep(next, gone, added);
        saved = next;
      }
      progress = next;
      if (finding.isBlocked) break;
      await yieldToOthers();
    }
    if (progress !== saved) await this.#keep(progress);
  }

  #read(): ScanProgress | undefined {
    const bytes = this.#queue.readFact(PROGRESS_KEY);
    return bytes && progressValue.decode(bytes);
  }

  #keep(
    progress: ScanProgress,
    gone: readonly QueuedJob[] = [],
    added: readonly JobContent[] = [],
  ): Promise<void> {
    const fact = { name: PROGRESS_KEY, value: progressValue.encode(progress) };
    return this.#queue.replaceJobs(fact, gone, added, this.#node.clock.now());
  }

  #day(): number {
    return Math.floor(this.#node.clock.now() / DAY);
  }

  /** Goes back to where blocks were replaced: those who are sponsored already are not found again. */
  #withoutReverted(progress: ScanProgress): ScanProgress {
    const height = this.#revertedFrom;
    this.#revertedFrom = Number.POSITIVE_INFINITY;
    return height <= progress.height ? { ...progress, height, position: 0 } : progress;
  }

  /** Passes over what came while the node was away, or far behind, for longer than a day. */
  #skipOld(progress: ScanProgress): ScanProgress {
    const oldest = BigInt(this.#node.clock.now() - DAY);
    const height = this.#node.reader.read((chain) => {
      const isOld = (at: number): boolean => (chain.blocks.header(at)?.timestamp ?? oldest) < oldest;
      return lowerBound(progress.height, Math.max(progress.height, chain.height() + 1), isOld);
    });
    if (height === progress.height) return progress;
    this.#node.log.warn("Blocks older than a day are not looked at for roles to sponsor", {
      from: progress.height,
      to: height - 1,
    });
    return { ...progress, height, position: 0 };
  }

  /** Looks at a part of a block; undefined: nothing is deep enough, or the roles are not known yet. */
  #find(chain: ChainSnapshot, account: WalletAccount, progress: ScanProgress): ScanResult | undefined {
    const { height, position } = progress;
    if (height > chain.height() - this.#options.depth || chain.indexes.unready(["trust"]) !== undefined)
      return undefined;
    const { transactions } = chain.blocks.at(height) ?? { transactions: [] };
    const end = Math.min(transactions.length, position + TRANSACTIONS_PER_SLICE);
    const day = this.#day();
    let spent = day === progress.day ? progress.spent : 0n;
    const gone: QueuedJob[] = [];
    const added: JobContent[] = [];
    // In one state of the chain the same account is to be sponsored, or not to be.
    const seen = new Set<string>();
    for (let at = position; at < end; at++) {
      const wish = this.#findWish(chain, account, transactions[at].transaction);
      if (wish === undefined || seen.has(bytesKey(wish.content))) continue;
      seen.add(bytesKey(wish.content));
      const change = this.#findChange(chain, account, wish);
      if (change === undefined) continue;
      const wait = { next: { height, position: at, day, spent }, gone, added, isBlocked: true };
      if (change === "wait") return wait;
      if (change.add) {
        const { fee } = transactionOfJobs(chain, this.#node.network, account, [wish], this.#node.clock.now());
        if (spent + fee > this.#options.budget) {
          this.#logSpentBudget(day, wish.content);
          return wait;
        }
        if (added.length >= this.#queue.freeSlots) return wait;
        spent += fee;
        added.push(wish);
      }
      gone.push(...change.gone);
    }
    const isWhole = end === transactions.length;
    const next = { height: isWhole ? height + 1 : height, position: isWhole ? 0 : end, day, spent };
    return { next, gone, added, isBlocked: false };
  }

  #logSpentBudget(day: number, recipient: Uint8Array): void {
    if (this.#loggedDay === day) return;
    this.#loggedDay = day;
    this.#node.log.warn("The budget of this day for sponsoring roles is spent: it goes on tomorrow", {
      recipient: addressText(recipient),
    });
  }

  /** Whether a transaction gave a sponsored role, or took the last one. */
  #findWish(chain: ChainSnapshot, account: WalletAccount, transaction: Transaction): JobContent | undefined {
    const { association } = definitionOf(transaction);
    if (association === undefined) return undefined;
    const { senderAddress: sender } = transaction;
    const { associationType, recipient: content } = association.terms(transaction);
    // Nobody has to sponsor himself.
    if (bytesEqual(content, account.address)) return undefined;
    const isSponsored = (role: string): boolean => this.#options.roles.get(role)?.sponsored === true;
    if (!association.revokes) {
      const isGiven = chain.trust
        .grantsOf(content)
        .some(
          ({ role, sender: giver, type }) =>
            isSponsored(role) && type === associationType && bytesEqual(giver, sender),
        );
      return isGiven ? { kind: "sponsor", content } : undefined;
    }
    // Anybody may revoke what he never gave: only who could take the role has a say.
    if (!chain.trust.issuableRoles(sender, associationType).some(isSponsored)) return undefined;
    return chain.trust.rolesOf(content).roles.some(isSponsored) ? undefined : { kind: "cancel", content };
  }

  /** What has to be done for a wish; undefined: nothing. */
  #findChange(chain: ChainSnapshot, account: WalletAccount, { kind, content }: JobContent): Change {
    const jobs = (["sponsor", "cancel"] as const).flatMap((name) => this.#queue.find(name, content) ?? []);
    const isOnChain = (job: QueuedJob): boolean =>
      job.dispatch !== undefined && chain.transactions.byId(job.dispatch.id) !== undefined;
    // One for the contrary that others know of cannot be taken back: it is undone when it is on the chain.
    if (jobs.some((job) => job.kind !== kind && job.dispatch !== undefined && !isOnChain(job))) return "wait";
    const isFulfilled = chain.sponsors.isSponsor(content, account.address) === (kind === "sponsor");
    // One that is not on the chain has something to do still; one that is there did it, and is watched.
    const stays = (job: QueuedJob): boolean => job.kind === kind && isOnChain(job) === isFulfilled;
    const gone = jobs.filter((job) => !stays(job));
    const add = !isFulfilled && gone.length === jobs.length;
    return add || gone.length > 0 ? { gone, add } : undefined;
  }
}
