import { bytesEqual, bytesKey } from "../bytes/compare.ts";
import { SortedMap } from "../collections/sorted-map.ts";
import { addressText } from "../crypto/addresses.ts";
import { failed, ok } from "../errors/result.ts";
import type { AccountInfo, Clock, LeavingUnit, UnitChanges } from "../interfaces.ts";
import { admitToPool, checkPoolFee } from "../ledger/admission.ts";
import { applyOutcome } from "../ledger/apply.ts";
import { poolContext } from "../ledger/block.ts";
import { eraAt, type LedgerRules } from "../ledger/era.ts";
import type { Capacity } from "../ledger/limits.ts";
import { genericError, Refusal, refuse } from "../ledger/refusal.ts";
import { holdsAtOneHeight, type ScriptRun } from "../ledger/scripts/script-verdicts.ts";
import type { LedgerView, LedgerWriter } from "../ledger/state.ts";
import type { Outcome } from "../ledger/validate.ts";
import { definitionOf, type Transaction, transactionBytes, transactionId } from "../transactions/index.ts";
import type { AdmissionResult } from "./admission.ts";
import { AnchorIndex } from "./anchor-index.ts";
import { entryOf, type PoolEntry, sizeOf } from "./entry.ts";
import { ageKey, poolKey } from "./order.ts";
import { chooseTransactions, type PackRequest } from "./packing.ts";
import { PoolScripts } from "./pool-scripts.ts";

/** The operator's limits. Page 05 §24.1; the limit in bytes is ours. */
export interface PoolOptions {
  readonly maxTransactions: number;
  readonly maxBytes: number;
  /** Age above which a transaction is dropped, ms. */
  readonly maxAgeMs: number;
  /** Addresses whose transactions are refused. */
  readonly blacklist: readonly Uint8Array[];
  /** Addresses to which those may transfer all the same. */
  readonly allowTransfersTo: readonly Uint8Array[];
}

/** A state to try things out on. */
export interface Scratch {
  /** Hands out the state of the tip, to try things out on while `use` runs: what is written to it is lost. */
  scratch<T>(use: (ledger: LedgerWriter) => T): T;
}

/** What became of valid transactions that were to come back. */
interface ReadmitResult {
  readonly returned: number;
  /** Those for which there is no room. */
  readonly dropped: number;
  /** Work of scripts that judging them took, in units of `ScriptWork`. */
  readonly work: number;
}

/** What the pool asks of the chain. */
interface PoolChain extends Scratch {
  readonly rules: LedgerRules;
  /** Hands out the state of the tip, to be read while `use` runs. */
  ledger<T>(use: (ledger: LedgerView) => T): T;
}

/** How the chain changed. */
export interface PoolChange extends UnitChanges {
  readonly reverted: readonly LeavingUnit[];
  /** Whether the transactions that left the chain are to wait again. */
  readonly returned: boolean;
  /** Whether more of the same change follows: what leaves the chain may come back to it. */
  readonly isPart?: boolean | undefined;
}

/** Transactions chosen for a block. */
interface Packed {
  readonly transactions: readonly Transaction[];
  /** What they leave. */
  readonly room: Capacity;
}

/** A part of the pool. */
interface PoolPage {
  readonly transactions: readonly Transaction[];
  /** The place of the last of them when there are more: a text of characters below U+0100. */
  readonly next: string | undefined;
}

/** Work of scripts after which no more transactions of accounts with a script are taken back from a former chain. */
export const MAX_READMIT_WORK = 200_000_000;
/**
 * Most transactions that come back in the step that takes them from the chain: what a micro block or two hold, and most
 * forks. They are judged in one turn.
 */
export const MAX_READMITTED_AT_ONCE = 1_000;
const NO_EFFECT: AccountInfo = { balance: 0n, leaseIn: 0n, leaseOut: 0n, unbonding: 0n };

/**
 * The unconfirmed transactions. Page 05 §24. Each was valid on the state of the tip when it came; together they
 * need not be. In memory only: a restart begins with none.
 */
export class Mempool {
  readonly #chain: PoolChain;
  readonly #clock: Clock;
  readonly #options: PoolOptions;
  readonly #entries = new Map<string, PoolEntry>();
  readonly #byOrder = new SortedMap<PoolEntry>();
  readonly #byAge = new SortedMap<PoolEntry>();
  readonly #effects = new Map<string, AccountInfo>();
  readonly #anchors = new AnchorIndex();
  readonly #blacklist: ReadonlySet<string>;
  readonly #allowed: ReadonlySet<string>;
  /** Transactions of the newest block, by id. */
  readonly #newest = new Map<string, Transaction>();
  /** Those whose script may say otherwise at another height. */
  readonly #boundToHeight = new Set<PoolEntry>();
  /** Told of each transaction that comes; undefined: nobody asks. */
  onEntry: ((transaction: Transaction) => void) | undefined;
  /** What may be done about the scripts of senders. */
  readonly scripts: PoolScripts;
  #bytes = 0;

  constructor(chain: PoolChain, clock: Clock, options: PoolOptions) {
    this.#chain = chain;
    this.#clock = clock;
    this.#options = options;
    this.scripts = new PoolScripts(clock, chain.rules.chainId);
    this.#blacklist = new Set(options.blacklist.map(bytesKey));
    this.#allowed = new Set(options.allowTransfersTo.map(bytesKey));
  }

  /** Number of transactions. */
  get size(): number {
    return this.#entries.size;
  }

  /** Bytes of all transactions. */
  get byteSize(): number {
    return this.#bytes;
  }

  /**
   * Why a transaction that passed the static checks is refused before its signatures are looked at: steps 1 to 3 of page
   * 05 §24.2. To be asked once, before `addChecked`.
   */
  earlyRefusal(transaction: Transaction): Refusal | undefined {
    return (
      this.#checkRoom(transaction) ??
      this.#checkBlacklist(transaction) ??
      this.#chain.ledger((ledger) =>
        checkPoolFee(transaction, eraAt(ledger, this.#chain.rules, ledger.height)),
      )
    );
  }

  /**
   * Takes a transaction that passed the static checks. Page 05 §24.2. Verdicts on its proofs that are remembered are
   * not found out again.
   * @returns whether it was not there before, or why it is refused
   */
  add(transaction: Transaction): AdmissionResult {
    const early = this.earlyRefusal(transaction);
    return early === undefined ? this.addChecked([transaction])[0] : failed(early);
  }

  /**
   * Takes transactions that `refusalAtOnce` let through, each judged by itself and in order: looking at the state once for
   * several is cheaper. Of what was asked before, only the room is looked at again: others may have taken it.
   */
  addChecked(transactions: readonly Transaction[]): readonly AdmissionResult[] {
    const now = BigInt(this.#clock.now());
    return this.#chain.ledger((ledger) => {
      const context = poolContext(ledger, this.#chain.rules, now);
      return transactions.map((transaction) => {
        const outcome = this.#checkRoom(transaction) ?? this.#judge(ledger, transaction, context);
        return outcome instanceof Refusal
          ? failed(outcome)
          : ok({ added: this.#replace(entryOf(transaction, outcome)) });
      });
    });
  }

  /**
   * The runs of scripts that judging transactions would take, as far as nothing is known of them: to be made ahead, in
   * the order of the transactions.
   */
  scriptRuns(transactions: readonly Transaction[]): readonly ScriptRun[] {
    return this.#chain.ledger((ledger) => {
      const runs = transactions.map((transaction) => this.scripts.missingRun(ledger, transaction));
      return runs.filter((run) => run !== undefined);
    });
  }

  /** Transactions that wait and whose scripts may say otherwise at another height, oldest first. */
  heightDependent(): readonly Transaction[] {
    return Array.from(this.#boundToHeight, ({ transaction }) => transaction);
  }

  /** Steps 3 and 4, as far as the sender's script may run. */
  #judge(
    ledger: LedgerView,
    transaction: Transaction,
    context: ReturnType<typeof poolContext>,
  ): Outcome | Refusal {
    if (this.scripts.isThrottled(ledger, transaction))
      return genericError("The script of the sender has refused others after much work: try again later");
    const before = context.work.used;
    const outcome = admitToPool(ledger, transaction, context);
    if (outcome instanceof Refusal) this.scripts.recordRefusal(transaction, context.work.used - before);
    return outcome;
  }

  #checkRoom(transaction: Transaction): Refusal | undefined {
    return this.hasRoomFor(sizeOf(transaction))
      ? undefined
      : genericError("Transaction pool size limit is reached");
  }

  /** Whether a transaction of so many bytes has room. */
  hasRoomFor(size: number): boolean {
    const { maxTransactions, maxBytes } = this.#options;
    return this.#entries.size < maxTransactions && this.#bytes + size <= maxBytes;
  }

  /** Enters a transaction in the place of one with its id; whether there was none. */
  #replace(entry: PoolEntry): boolean {
    const former = this.#entries.get(bytesKey(entry.id));
    if (former !== undefined) this.#drop(former);
    this.#enter(entry);
    if (former === undefined) this.onEntry?.(entry.transaction);
    return former === undefined;
  }

  get(id: Uint8Array): Transaction | undefined {
    return this.#entries.get(bytesKey(id))?.transaction;
  }

  /** The pool's own object of a transaction whose bytes it has, proofs included, else the one given. */
  ownCopy(transaction: Transaction): Transaction {
    return sameTransaction(this.get(transactionId(transaction)), transaction);
  }

  has(id: Uint8Array): boolean {
    return this.#entries.has(bytesKey(id));
  }

  /**
   * Transactions in pool order (page 05 §24.4), from a place on, within both limits; one at least, whatever its size.
   * Going on from page to page gives each transaction that is there the whole time exactly once.
   * @param after `next` of the page before; from the first one unless given
   */
  page(
    after: string | undefined,
    limits: { readonly transactions: number; readonly bytes: number },
  ): PoolPage {
    const transactions: Transaction[] = [];
    let last = after;
    let bytes = 0;
    for (const [key, { transaction, size }] of this.#byOrder.entries(after)) {
      bytes += size;
      const isFull = transactions.length >= limits.transactions || bytes > limits.bytes;
      if (isFull && transactions.length > 0) return { transactions, next: last };
      transactions.push(transaction);
      last = key;
    }
    return { transactions, next: undefined };
  }

  /** The oldest transaction that anchors the hash, or names it as the value of a mapped anchor. Page 07 §18.3. */
  oldestAnchor(hash: Uint8Array): Transaction | undefined {
    return this.#anchors.oldest(hash)?.transaction;
  }

  /** What the pool takes from an account at worst: to be added to the figures of the chain. Page 05 §24.6. */
  effect(address: Uint8Array): AccountInfo {
    return this.#effects.get(bytesKey(address)) ?? NO_EFFECT;
  }

  /** Removes transactions by id, then all that are too old. Page 05 §24.3. */
  remove(ids: Iterable<Uint8Array>): void {
    for (const id of ids) {
      const entry = this.#entries.get(bytesKey(id));
      if (entry !== undefined) this.#drop(entry);
    }
    this.dropExpired();
  }

  /**
   * Follows the chain: what came to it leaves the pool, and what left it comes back, unless it is to be dropped.
   * Page 05 §24.3.
   * @returns the units that left the chain and whose transactions are to come back later, by `takeBack`: they are too
   * many for this turn, or more of the change follows
   */
  applyChange({ reverted, committed, returned, isPart }: PoolChange): readonly LeavingUnit[] {
    const here = new Set<string>();
    for (const { transactions } of committed) for (const { id } of transactions) here.add(bytesKey(id));
    for (const key of here) {
      const entry = this.#entries.get(key);
      if (entry !== undefined) this.#drop(entry);
    }
    this.dropExpired();
    const count = reverted.reduce((sum, { transactionCount }) => sum + transactionCount, 0);
    const isNow = isPart !== true && count <= MAX_READMITTED_AT_ONCE;
    if (returned && isNow) this.#takeReverted(reverted, here);
    this.#keepNewest(committed);
    return returned && !isNow ? reverted : [];
  }

  /**
   * Takes transactions back that left the chain a while ago, in their order, as far as they are valid and there is room.
   * What is known of them is not checked again.
   * @param maxWork of scripts, in units of `ScriptWork`: above it no more of accounts with a script come back
   * @param scratch the state that they are judged on, with those that came back before; by default that of the tip
   */
  readmit(transactions: readonly Transaction[], maxWork: number, scratch?: Scratch): ReadmitResult {
    const gone = transactions.map((transaction) => this.#asItCame(transactionId(transaction), transaction));
    return this.#admitAgain(gone, maxWork, scratch);
  }

  /** Whether a transaction of this timestamp has waited for too long. Page 05 §24.3. */
  isExpired(timestamp: bigint): boolean {
    return timestamp < BigInt(this.#clock.now() - this.#options.maxAgeMs);
  }

  /** @param here ids of those that came back to the chain at once */
  #takeReverted(reverted: PoolChange["reverted"], here: ReadonlySet<string>): void {
    const gone: Transaction[] = [];
    for (const { transactions } of [...reverted].reverse())
      for (const { id, transaction } of transactions)
        if (!here.has(bytesKey(id))) gone.push(this.#asItCame(id, transaction));
    this.#admitAgain(gone, MAX_READMIT_WORK);
  }

  /** The object that came to the chain, with the verdicts on its proofs, for one that was read back from the store. */
  #asItCame(id: Uint8Array, transaction: Transaction): Transaction {
    return sameTransaction(this.#newest.get(bytesKey(id)), transaction);
  }

  /** Remembers the transactions of the newest block: with the next key block the end of it may leave the chain. */
  #keepNewest(committed: PoolChange["committed"]): void {
    const height = committed.at(-1)?.height;
    if (height === undefined) return;
    // A key block begins anew, also at the height of the one that it replaces.
    if (committed.some(({ sequence }) => sequence === 0)) this.#newest.clear();
    for (const unit of committed)
      if (unit.height === height)
        for (const { id, transaction } of unit.transactions) this.#newest.set(bytesKey(id), transaction);
  }

  /**
   * Takes transactions back in their order, as far as they are still valid. They are judged one upon the other: what
   * spends the money of another one, or cancels its lease, comes back with it.
   */
  #admitAgain(
    transactions: readonly Transaction[],
    maxWork: number,
    scratch: Scratch = this.#chain,
  ): ReadmitResult {
    if (transactions.length === 0) return { returned: 0, dropped: 0, work: 0 };
    const now = BigInt(this.#clock.now());
    const { back, work } = scratch.scratch((ledger) => {
      const back: PoolEntry[] = [];
      const context = poolContext(ledger, this.#chain.rules, now);
      for (const transaction of transactions) {
        if (!definitionOf(transaction).hasSender || this.#checkBlacklist(transaction) !== undefined) continue;
        // Of what costs much, no more than so much comes back: its senders can send it again.
        const isScripted = ledger.script(transaction.senderAddress)?.script !== undefined;
        if (isScripted && context.work.used > maxWork) continue;
        const outcome = admitToPool(ledger, transaction, context);
        if (outcome instanceof Refusal) continue;
        applyOutcome(ledger, outcome);
        back.push(entryOf(transaction, outcome));
      }
      return { back, work: context.work.used };
    });
    let returned = 0;
    for (const entry of back)
      if (this.hasRoomFor(entry.size)) {
        this.#replace(entry);
        returned++;
      }
    return { returned, dropped: back.length - returned, work };
  }

  /**
   * Chooses transactions for a block. Page 05 §24.5. Those chosen stay in the pool until a block brings them;
   * those that turn out invalid leave it.
   */
  pack(request: PackRequest): Packed {
    this.dropExpired();
    const { taken, invalid, room } = this.#chain.scratch((ledger) =>
      chooseTransactions(this.#byOrder.values(), ledger, this.#chain.rules, request, this.#clock.now()),
    );
    for (const entry of invalid) this.#drop(entry);
    return { transactions: taken.map(({ transaction }) => transaction), room };
  }

  /** Drops what is too old: `now - timestamp > max age`, strictly. Page 05 §24.3. */
  dropExpired(): void {
    const expired: PoolEntry[] = [];
    for (const entry of this.#byAge.values()) {
      if (!this.isExpired(entry.transaction.timestamp)) break;
      expired.push(entry);
    }
    for (const entry of expired) this.#drop(entry);
  }

  #checkBlacklist(transaction: Transaction): Refusal | undefined {
    const { senderAddress } = transaction;
    if (!this.#blacklist.has(bytesKey(senderAddress))) return undefined;
    const payouts = definitionOf(transaction).payouts?.(transaction) ?? [];
    const allowed =
      payouts.length > 0 && payouts.every(({ recipient }) => this.#allowed.has(bytesKey(recipient)));
    return allowed ? undefined : refuse("SenderIsBlacklisted", addressText(senderAddress));
  }

  #enter(entry: PoolEntry): void {
    const { transaction, id, idText, size, effects } = entry;
    this.#entries.set(bytesKey(id), entry);
    this.#byOrder.set(poolKey(transaction, idText), entry);
    this.#byAge.set(ageKey(transaction, idText), entry);
    this.#bytes += size;
    for (const { address, effect } of effects) this.#addEffect(address, effect, 1n);
    this.#anchors.add(entry);
    if (holdsAtOneHeight(transaction)) this.#boundToHeight.add(entry);
  }

  #drop(entry: PoolEntry): void {
    const { transaction, id, idText, size, effects } = entry;
    this.#entries.delete(bytesKey(id));
    this.#byOrder.delete(poolKey(transaction, idText));
    this.#byAge.delete(ageKey(transaction, idText));
    this.#bytes -= size;
    for (const { address, effect } of effects) this.#addEffect(address, effect, -1n);
    this.#anchors.remove(entry);
    this.#boundToHeight.delete(entry);
  }

  #addEffect(address: Uint8Array, effect: AccountInfo, sign: 1n | -1n): void {
    const key = bytesKey(address);
    const before = this.#effects.get(key) ?? NO_EFFECT;
    const after = {
      balance: before.balance + sign * effect.balance,
      leaseIn: 0n,
      leaseOut: before.leaseOut + sign * effect.leaseOut,
      unbonding: before.unbonding + sign * effect.unbonding,
    };
    if (after.balance === 0n && after.leaseOut === 0n && after.unbonding === 0n) this.#effects.delete(key);
    else this.#effects.set(key, after);
  }
}

/** Returns `known` if it has the same bytes, proofs included; otherwise `given`. */
function sameTransaction(known: Transaction | undefined, given: Transaction): Transaction {
  const isSame = known !== undefined && bytesEqual(transactionBytes(known), transactionBytes(given));
  return isSame ? known : given;
}
