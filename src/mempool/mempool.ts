import { bytesEqual, bytesKey } from "../bytes/compare.ts";
import { SortedMap } from "../collections/sorted-map.ts";
import { addressText } from "../crypto/addresses.ts";
import { failed, ok } from "../errors/result.ts";
import type { AccountInfo, Clock, CommittedUnit, LeavingUnit, UnitChanges } from "../interfaces.ts";
import { admitToPool, checkPoolFee } from "../ledger/admission.ts";
import { applyOutcome } from "../ledger/apply.ts";
import { poolContext } from "../ledger/block.ts";
import { eraAt, type LedgerRules } from "../ledger/era.ts";
import type { Capacity } from "../ledger/limits.ts";
import { genericError, Refusal, refuse } from "../ledger/refusal.ts";
import { isHeightDependent, type ScriptRun } from "../ledger/scripts/script-verdicts.ts";
import type { LedgerView, LedgerWriter } from "../ledger/state.ts";
import type { Outcome } from "../ledger/validate.ts";
import { type Metrics, noMetrics } from "../runtime/metrics.ts";
import { definitionOf, type Transaction, transactionBytes, transactionId } from "../transactions/index.ts";
import type { AdmissionResult } from "./admission.ts";
import { AnchorIndex } from "./anchor-index.ts";
import { entryOf, type PoolEntry, sizeOf } from "./entry.ts";
import { AdmissionCounter } from "./metrics.ts";
import { ageKey, poolKey } from "./order.ts";
import { chooseTransactions, type PackRequest } from "./packing.ts";
import { PoolScripts } from "./pool-scripts.ts";

/** Page 05 §24.1. The reference does not limit the bytes. */
export interface PoolOptions {
  readonly maxTransactions: number;
  readonly maxBytes: number;
  readonly maxAgeMs: number;
  /** Refused senders. */
  readonly blacklist: readonly Uint8Array[];
  /** Recipients to which refused senders may transfer. */
  readonly allowTransfersTo: readonly Uint8Array[];
}

export interface Scratch {
  /** Passes a copy of the state at the tip to `use`, and discards it afterwards. */
  scratch<T>(use: (ledger: LedgerWriter) => T): T;
}

interface ReadmitResult {
  readonly returned: number;
  /** Valid transactions for which the pool has no room. */
  readonly dropped: number;
  /** In units of `ScriptWork`. */
  readonly work: number;
}

interface PoolChain extends Scratch {
  readonly rules: LedgerRules;
  /** Passes the state at the tip to `use`, which must not keep it. */
  ledger<T>(use: (ledger: LedgerView) => T): T;
}

export interface PoolChange extends UnitChanges {
  readonly reverted: readonly LeavingUnit[];
  readonly committed: readonly CommittedUnit[];
  readonly returnTransactions: boolean;
  /** True if more commits of the same change follow. */
  readonly isPart?: boolean | undefined;
}

interface PackedTransactions {
  readonly transactions: readonly Transaction[];
  readonly capacity: Capacity;
}

interface PoolPage {
  readonly transactions: readonly Transaction[];
  /** Cursor of the next page, of characters below U+0100; undefined at the end. */
  readonly next: string | undefined;
}

/** Maximum script work for returning transactions of scripted accounts, in units of `ScriptWork`. */
export const MAX_READMIT_WORK = 200_000_000;
/** Above this number of transactions, the caller readmits in several steps. */
export const MAX_READMITTED_AT_ONCE = 1_000;
const NO_EFFECT: AccountInfo = { balance: 0n, leaseIn: 0n, leaseOut: 0n, unbonding: 0n };

/** Unconfirmed transactions, in memory only. Each was valid on arrival, independently of the others. Page 05 §24. */
export class Mempool {
  readonly #chain: PoolChain;
  readonly #clock: Clock;
  readonly #options: PoolOptions;
  readonly #entries = new Map<string, PoolEntry>();
  readonly #inPoolOrder = new SortedMap<PoolEntry>();
  readonly #byAge = new SortedMap<PoolEntry>();
  /** Sums of the entries' effects by address. */
  readonly #effects = new Map<string, AccountInfo>();
  readonly #anchors = new AnchorIndex();
  readonly #blacklist: ReadonlySet<string>;
  readonly #allowedRecipients: ReadonlySet<string>;
  /** Transactions by id. Verdicts on proofs are cached for these objects. */
  readonly #newestBlock = new Map<string, Transaction>();
  readonly #heightDependent = new Set<PoolEntry>();
  onAdded: ((transaction: Transaction) => void) | undefined;
  readonly scripts: PoolScripts;
  readonly counter: AdmissionCounter;
  #bytes = 0;

  constructor(chain: PoolChain, clock: Clock, options: PoolOptions, metrics: Metrics = noMetrics) {
    this.counter = new AdmissionCounter(metrics);
    this.#chain = chain;
    this.#clock = clock;
    this.#options = options;
    this.scripts = new PoolScripts(clock, chain.rules.chainId);
    this.#blacklist = new Set(options.blacklist.map(bytesKey));
    this.#allowedRecipients = new Set(options.allowTransfersTo.map(bytesKey));
  }

  get size(): number {
    return this.#entries.size;
  }

  get byteSize(): number {
    return this.#bytes;
  }

  /**
   * Checks the pool's size, the blacklist and the fee: steps 1 to 3 of page 05 §24.2. Call this once, after the static
   * checks, before signatures are checked and before `addChecked`.
   */
  earlyRefusal(transaction: Transaction): Refusal | undefined {
    const sizeRefusal = this.#checkRoom(transaction);
    if (sizeRefusal !== undefined) return sizeRefusal;
    const refusal =
      this.#checkBlacklist(transaction) ??
      this.#chain.ledger((ledger) =>
        checkPoolFee(transaction, eraAt(ledger, this.#chain.rules, ledger.height)),
      );
    if (refusal !== undefined) this.counter.countRefusal(refusal);
    return refusal;
  }

  /** Adds a transaction that passed the static checks. Page 05 §24.2. */
  add(transaction: Transaction): AdmissionResult {
    const early = this.earlyRefusal(transaction);
    return early === undefined ? this.addChecked([transaction])[0] : failed(early);
  }

  /** Validates transactions that passed `earlyRefusal`, each on the tip's state, and adds the valid ones. */
  addChecked(transactions: readonly Transaction[]): readonly AdmissionResult[] {
    const now = BigInt(this.#clock.now());
    return this.#chain.ledger((ledger) => {
      const context = poolContext(ledger, this.#chain.rules, now);
      return transactions.map((transaction) => {
        const outcome = this.#checkRoom(transaction) ?? this.#validate(ledger, transaction, context);
        return outcome instanceof Refusal
          ? failed(outcome)
          : ok({ added: this.#addOrReplace(entryOf(transaction, outcome)) });
      });
    });
  }

  /** Returns the runs that validation needs and that are not cached. */
  scriptRuns(transactions: readonly Transaction[]): readonly ScriptRun[] {
    return this.#chain.ledger((ledger) => {
      const runs = transactions.map((transaction) => this.scripts.missingRun(ledger, transaction));
      return runs.filter((run) => run !== undefined);
    });
  }

  /** Returns transactions whose scripts must run again at each new height. */
  heightDependent(): readonly Transaction[] {
    return Array.from(this.#heightDependent, ({ transaction }) => transaction);
  }

  /** Checks throttling, the fee and the state (page 05 §24.2, steps 3 and 4). */
  #validate(
    ledger: LedgerView,
    transaction: Transaction,
    context: ReturnType<typeof poolContext>,
  ): Outcome | Refusal {
    if (this.scripts.isThrottled(ledger, transaction)) {
      this.counter.countRefused("throttled");
      return genericError("The sender's script refused costly transactions: try again later");
    }
    const before = context.work.used;
    const outcome = admitToPool(ledger, transaction, context);
    if (outcome instanceof Refusal) {
      this.scripts.recordRefusal(transaction, context.work.used - before);
      this.counter.countRefusal(outcome);
    }
    return outcome;
  }

  #checkRoom(transaction: Transaction): Refusal | undefined {
    if (this.hasRoomFor(sizeOf(transaction))) return undefined;
    this.counter.countRefused("pool_full");
    return genericError("Transaction pool size limit is reached");
  }

  hasRoomFor(size: number): boolean {
    const { maxTransactions, maxBytes } = this.#options;
    return this.#entries.size < maxTransactions && this.#bytes + size <= maxBytes;
  }

  /** @returns true if the transaction is new */
  #addOrReplace(entry: PoolEntry): boolean {
    const former = this.#entries.get(bytesKey(entry.id));
    if (former !== undefined) this.#delete(former);
    this.#insert(entry);
    if (former !== undefined) return false;
    this.counter.countAccepted();
    this.onAdded?.(entry.transaction);
    return true;
  }

  get(id: Uint8Array): Transaction | undefined {
    return this.#entries.get(bytesKey(id))?.transaction;
  }

  /** Returns the pool's object if its bytes, including proofs, are the same; otherwise `transaction`. */
  preferPooled(transaction: Transaction): Transaction {
    return reuseIfSame(this.get(transactionId(transaction)), transaction);
  }

  has(id: Uint8Array): boolean {
    return this.#entries.has(bytesKey(id));
  }

  /**
   * Returns a page in pool order (page 05 §24.4) within both limits, but at least one transaction.
   * @param after `next` of the previous page
   */
  page(
    after: string | undefined,
    limits: { readonly transactions: number; readonly bytes: number },
  ): PoolPage {
    const transactions: Transaction[] = [];
    let last = after;
    let bytes = 0;
    for (const [key, { transaction, size }] of this.#inPoolOrder.entries(after)) {
      bytes += size;
      const isFull = transactions.length >= limits.transactions || bytes > limits.bytes;
      if (isFull && transactions.length > 0) return { transactions, next: last };
      transactions.push(transaction);
      last = key;
    }
    return { transactions, next: undefined };
  }

  /** Returns the oldest transaction that anchors a hash, also as the value of a mapped anchor. Page 07 §18.3. */
  oldestAnchor(hash: Uint8Array): Transaction | undefined {
    return this.#anchors.oldest(hash)?.transaction;
  }

  /** Amounts that an account loses by all transactions of the pool. Page 05 §24.6. */
  effect(address: Uint8Array): AccountInfo {
    return this.#effects.get(bytesKey(address)) ?? NO_EFFECT;
  }

  /** Also removes expired transactions. Page 05 §24.3. */
  remove(ids: Iterable<Uint8Array>): void {
    for (const id of ids) {
      const entry = this.#entries.get(bytesKey(id));
      if (entry !== undefined) this.#delete(entry);
    }
    this.dropExpired();
  }

  /**
   * Removes committed transactions, and readmits reverted ones if `returnTransactions` is set. Page 05 §24.3.
   * @returns units whose transactions the caller must pass to `readmit` later, because more commits follow or the
   *   transactions exceed `MAX_READMITTED_AT_ONCE`
   */
  applyChange({ reverted, committed, returnTransactions, isPart }: PoolChange): readonly LeavingUnit[] {
    const committedIds = new Set<string>();
    if (this.#entries.size > 0 || reverted.length > 0)
      for (const unit of committed) for (const id of unit.transactionIds()) committedIds.add(bytesKey(id));
    for (const key of committedIds) {
      const entry = this.#entries.get(key);
      if (entry !== undefined) this.#delete(entry);
    }
    this.dropExpired();
    const count = reverted.reduce((sum, { transactionCount }) => sum + transactionCount, 0);
    const returnsNow = isPart !== true && count <= MAX_READMITTED_AT_ONCE;
    if (returnTransactions && returnsNow) this.#readmitReverted(reverted, committedIds);
    this.#rememberNewest(committed);
    return returnTransactions && !returnsNow ? reverted : [];
  }

  /**
   * Adds valid reverted transactions again, in order, while there is room.
   * @param maxWork script work, in units of `ScriptWork`, after which transactions of scripted accounts are skipped
   * @param scratch the state for validation, including transactions that returned before; default: the tip
   */
  readmit(transactions: readonly Transaction[], maxWork: number, scratch?: Scratch): ReadmitResult {
    const originals = transactions.map((transaction) =>
      this.#originalOf(transactionId(transaction), transaction),
    );
    return this.#readmitOriginals(originals, maxWork, scratch);
  }

  /** True if `now - timestamp` exceeds the maximum age. Page 05 §24.3. */
  isExpired(timestamp: bigint): boolean {
    return timestamp < BigInt(this.#clock.now() - this.#options.maxAgeMs);
  }

  #readmitReverted(reverted: PoolChange["reverted"], committedIds: ReadonlySet<string>): void {
    const originals: Transaction[] = [];
    for (const { transactions } of [...reverted].reverse())
      for (const { id, transaction } of transactions)
        if (!committedIds.has(bytesKey(id))) originals.push(this.#originalOf(id, transaction));
    this.#readmitOriginals(originals, MAX_READMIT_WORK);
  }

  #originalOf(id: Uint8Array, transaction: Transaction): Transaction {
    return reuseIfSame(this.#newestBlock.get(bytesKey(id)), transaction);
  }

  /** Keeps only the newest block, because its micro blocks may be reverted. */
  #rememberNewest(committed: PoolChange["committed"]): void {
    const height = committed.at(-1)?.height;
    if (height === undefined) return;
    if (committed.some(({ sequence }) => sequence === 0)) this.#newestBlock.clear();
    for (const unit of committed)
      if (unit.height === height)
        for (const { id, transaction } of unit.transactions) this.#newestBlock.set(bytesKey(id), transaction);
  }

  /** Validates each transaction on the state after the previous ones. */
  #readmitOriginals(
    transactions: readonly Transaction[],
    maxWork: number,
    scratch: Scratch = this.#chain,
  ): ReadmitResult {
    if (transactions.length === 0) return { returned: 0, dropped: 0, work: 0 };
    const now = BigInt(this.#clock.now());
    const { readmitted, work } = scratch.scratch((ledger) => {
      const readmitted: PoolEntry[] = [];
      const context = poolContext(ledger, this.#chain.rules, now);
      for (const transaction of transactions) {
        if (!definitionOf(transaction).hasSender || this.#checkBlacklist(transaction) !== undefined) continue;
        const isScripted = ledger.script(transaction.senderAddress)?.script !== undefined;
        if (isScripted && context.work.used > maxWork) continue;
        const outcome = admitToPool(ledger, transaction, context);
        if (outcome instanceof Refusal) continue;
        applyOutcome(ledger, outcome);
        readmitted.push(entryOf(transaction, outcome));
      }
      return { readmitted, work: context.work.used };
    });
    let returned = 0;
    for (const entry of readmitted)
      if (this.hasRoomFor(entry.size)) {
        this.#addOrReplace(entry);
        returned++;
      }
    return { returned, dropped: readmitted.length - returned, work };
  }

  /** Also removes expired and invalid transactions from the pool. Page 05 §24.5. */
  pack(request: PackRequest): PackedTransactions {
    this.dropExpired();
    const { chosen, invalid, capacity } = this.#chain.scratch((ledger) =>
      chooseTransactions(this.#inPoolOrder.values(), ledger, this.#chain.rules, request, this.#clock.now()),
    );
    for (const entry of invalid) this.#delete(entry);
    return { transactions: chosen.map(({ transaction }) => transaction), capacity };
  }

  dropExpired(): void {
    const expired: PoolEntry[] = [];
    for (const entry of this.#byAge.values()) {
      if (!this.isExpired(entry.transaction.timestamp)) break;
      expired.push(entry);
    }
    for (const entry of expired) this.#delete(entry);
  }

  #checkBlacklist(transaction: Transaction): Refusal | undefined {
    const { senderAddress } = transaction;
    if (!this.#blacklist.has(bytesKey(senderAddress))) return undefined;
    const payouts = definitionOf(transaction).payouts?.(transaction) ?? [];
    const isAllowed =
      payouts.length > 0 &&
      payouts.every(({ recipient }) => this.#allowedRecipients.has(bytesKey(recipient)));
    return isAllowed ? undefined : refuse("SenderIsBlacklisted", addressText(senderAddress));
  }

  #insert(entry: PoolEntry): void {
    const { transaction, id, idText, size, effects } = entry;
    this.#entries.set(bytesKey(id), entry);
    this.#inPoolOrder.set(poolKey(transaction, idText), entry);
    this.#byAge.set(ageKey(transaction, idText), entry);
    this.#bytes += size;
    for (const { address, effect } of effects) this.#addEffect(address, effect, 1n);
    this.#anchors.add(entry);
    if (isHeightDependent(transaction)) this.#heightDependent.add(entry);
  }

  #delete(entry: PoolEntry): void {
    const { transaction, id, idText, size, effects } = entry;
    this.#entries.delete(bytesKey(id));
    this.#inPoolOrder.delete(poolKey(transaction, idText));
    this.#byAge.delete(ageKey(transaction, idText));
    this.#bytes -= size;
    for (const { address, effect } of effects) this.#addEffect(address, effect, -1n);
    this.#anchors.remove(entry);
    this.#heightDependent.delete(entry);
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

/** Returns `earlier` if both have the same bytes, because verdicts are cached by object. */
function reuseIfSame(earlier: Transaction | undefined, transaction: Transaction): Transaction {
  const isSame =
    earlier !== undefined && bytesEqual(transactionBytes(earlier), transactionBytes(transaction));
  return isSame ? earlier : transaction;
}
