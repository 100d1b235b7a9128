import { encodeBase58 } from "../bytes/base58.ts";
import { bytesEqual, bytesKey } from "../bytes/compare.ts";
import { addressText } from "../crypto/addresses.ts";
import type { AccountInfo, Clock, UnitChanges } from "../interfaces.ts";
import { admitToPool, checkPoolFee } from "../ledger/admission.ts";
import { applyOutcome, applyTransaction } from "../ledger/apply.ts";
import { poolContext } from "../ledger/block.ts";
import { countsAsScripted } from "../ledger/counts-as-scripted.ts";
import { eraAt, type LedgerRules } from "../ledger/era.ts";
import { isFull, isOverfilled, type Room, roomAfter } from "../ledger/limits.ts";
import { genericError, Refusal, refuse } from "../ledger/refusal.ts";
import type { LedgerView, LedgerWriter } from "../ledger/state.ts";
import { MAX_AHEAD, type Outcome, validateTransaction } from "../ledger/validate.ts";
import {
  bodyBytes,
  definitionOf,
  type Transaction,
  transactionBytes,
  transactionId,
  UnsignedTransactionError,
} from "../transactions/index.ts";
import { ageKey, poolKey } from "./order.ts";
import { SortedMap } from "./sorted-map.ts";

/** Bytes of a transaction; of one that has none before it is signed (and is refused for that), those of its body. */
function sizeOf(transaction: Transaction): number {
  try {
    return transactionBytes(transaction).length;
  } catch (error) {
    if (error instanceof UnsignedTransactionError) return bodyBytes(transaction).length;
    throw error;
  }
}

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

/** What became of a transaction: whether the pool did not have it before, or why it is refused. */
export type Admission = { readonly added: boolean } | Refusal;

/** What the pool asks of the chain. */
export interface PoolChain {
  readonly rules: LedgerRules;
  /** Hands out the state of the tip, to be read while `use` runs. */
  ledger<T>(use: (ledger: LedgerView) => T): T;
  /** Hands out the state of the tip, to try things out on while `use` runs: what is written to it is lost. */
  scratch<T>(use: (ledger: LedgerWriter) => T): T;
}

/** How the chain changed. */
export interface PoolChange extends UnitChanges {
  /** Whether the transactions that left the chain are to wait again. */
  readonly returned: boolean;
}

/** What to pack. */
export interface PackRequest {
  readonly room: Room;
  /**
   * Timestamp of the block that the transactions are for, ms; by default the clock. Transactions that are too
   * young for it stay in the pool.
   */
  readonly blockTimestamp?: bigint | undefined;
  /**
   * At most so many transactions are judged; the rest waits for the next time. Default: all. It bounds how long
   * the writer is held up by a pool full of transactions that have become invalid, which are dropped.
   */
  readonly maxJudged?: number | undefined;
}

export interface Packed {
  readonly transactions: readonly Transaction[];
  /** What they leave. */
  readonly room: Room;
}

/** A part of the pool. */
export interface PoolPart {
  readonly transactions: readonly Transaction[];
  /** The place of the last of them when there are more: a text of characters below U+0100. */
  readonly next: string | undefined;
}

interface Entry {
  readonly transaction: Transaction;
  readonly id: Uint8Array;
  readonly idText: string;
  readonly size: number;
  /** Pessimistic effect by address. Page 05 §24.6. */
  readonly effects: readonly { readonly address: Uint8Array; readonly effect: AccountInfo }[];
}

interface Choice {
  readonly taken: Entry[];
  readonly invalid: readonly Entry[];
  readonly room: Room;
}

/** How often refused transactions are judged again while others are taken: more than any honest chain of them needs. */
const MAX_PASSES = 8;

const NO_EFFECT: AccountInfo = { balance: 0n, leaseIn: 0n, leaseOut: 0n, unbonding: 0n };

/**
 * The unconfirmed transactions. Page 05 §24. Each was valid on the state of the tip when it came; together they
 * need not be. In memory only: a restart begins with none.
 */
export class Mempool {
  private readonly entries = new Map<string, Entry>();
  private readonly byOrder = new SortedMap<Entry>();
  private readonly byAge = new SortedMap<Entry>();
  private readonly effects = new Map<string, AccountInfo>();
  private readonly anchors = new Map<string, Entry[]>();
  private readonly blacklist: ReadonlySet<string>;
  private readonly allowed: ReadonlySet<string>;
  /** Transactions of the newest block, by id. */
  private readonly newest = new Map<string, Transaction>();
  private bytes = 0;

  constructor(
    private readonly chain: PoolChain,
    private readonly clock: Clock,
    private readonly options: PoolOptions,
  ) {
    this.blacklist = new Set(options.blacklist.map(bytesKey));
    this.allowed = new Set(options.allowTransfersTo.map(bytesKey));
  }

  /** Number of transactions. */
  get size(): number {
    return this.entries.size;
  }

  /** Bytes of all transactions. */
  get byteSize(): number {
    return this.bytes;
  }

  /**
   * Why a transaction is refused before its signatures are looked at: steps 1 to 3 of page 05 §24.2. `add` asks the
   * same again, and all the rest.
   */
  refusalAtOnce(transaction: Transaction): Refusal | undefined {
    return (
      this.checkPool(transaction) ??
      this.chain.ledger((ledger) => checkPoolFee(transaction, eraAt(ledger, this.chain.rules, ledger.height)))
    );
  }

  /**
   * Takes a transaction that passed the static checks. Page 05 §24.2. Verdicts on its proofs that are remembered are
   * not found out again.
   * @returns whether it was not there before, or why it is refused
   */
  add(transaction: Transaction): Admission {
    return this.addAll([transaction])[0];
  }

  /** The same for several, each judged by itself and in order: looking at the state once is cheaper. */
  addAll(transactions: readonly Transaction[]): readonly Admission[] {
    const now = BigInt(this.clock.now());
    return this.chain.ledger((ledger) => {
      const context = poolContext(ledger, this.chain.rules, now);
      return transactions.map((transaction) => {
        const outcome = this.checkPool(transaction) ?? admitToPool(ledger, transaction, context);
        return outcome instanceof Refusal ? outcome : { added: this.replace(entryOf(transaction, outcome)) };
      });
    });
  }

  /** Whether there is room, and the sender is welcome: steps 1 and 2. */
  private checkPool(transaction: Transaction): Refusal | undefined {
    if (!this.hasRoomFor(sizeOf(transaction))) return genericError("Transaction pool size limit is reached");
    return this.checkBlacklist(transaction);
  }

  private hasRoomFor(size: number): boolean {
    const { maxTransactions, maxBytes } = this.options;
    return this.entries.size < maxTransactions && this.bytes + size <= maxBytes;
  }

  /** Enters a transaction in the place of one with its id; whether there was none. */
  private replace(entry: Entry): boolean {
    const former = this.entries.get(bytesKey(entry.id));
    if (former !== undefined) this.drop(former);
    this.enter(entry);
    return former === undefined;
  }

  get(id: Uint8Array): Transaction | undefined {
    return this.entries.get(bytesKey(id))?.transaction;
  }

  /** The pool's own object of a transaction whose bytes it has, proofs included, else the one given. */
  known(transaction: Transaction): Transaction {
    const own = this.get(transactionId(transaction));
    return own !== undefined && bytesEqual(transactionBytes(own), transactionBytes(transaction))
      ? own
      : transaction;
  }

  has(id: Uint8Array): boolean {
    return this.entries.has(bytesKey(id));
  }

  /**
   * Transactions in pool order (page 05 §24.4), from a place on, within both limits; one at least, whatever its size.
   * Going on from page to page gives each transaction that is there the whole time exactly once.
   * @param after `next` of the page before; from the first one unless given
   */
  page(
    after: string | undefined,
    limits: { readonly transactions: number; readonly bytes: number },
  ): PoolPart {
    const transactions: Transaction[] = [];
    let last = after;
    let bytes = 0;
    for (const [key, { transaction, size }] of this.byOrder.entries(after)) {
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
    let oldest: Transaction | undefined;
    for (const { transaction } of this.anchors.get(bytesKey(hash)) ?? [])
      if (oldest === undefined || transaction.timestamp < oldest.timestamp) oldest = transaction;
    return oldest;
  }

  /** What the pool takes from an account at worst: to be added to the figures of the chain. Page 05 §24.6. */
  effect(address: Uint8Array): AccountInfo {
    return this.effects.get(bytesKey(address)) ?? NO_EFFECT;
  }

  /** Removes transactions by id, then all that are too old. Page 05 §24.3. */
  remove(ids: Iterable<Uint8Array>): void {
    for (const id of ids) {
      const entry = this.entries.get(bytesKey(id));
      if (entry !== undefined) this.drop(entry);
    }
    this.dropExpired();
  }

  /**
   * Follows the chain: what came to it leaves the pool, and what left it comes back, unless it is to be dropped.
   * Page 05 §24.3.
   */
  follow({ reverted, committed, returned }: PoolChange): void {
    const here = new Set<string>();
    for (const { transactions } of committed) for (const { id } of transactions) here.add(bytesKey(id));
    for (const key of here) {
      const entry = this.entries.get(key);
      if (entry !== undefined) this.drop(entry);
    }
    this.dropExpired();
    if (returned) this.takeReverted(reverted, here);
    this.keepNewest(committed);
  }

  /** @param here ids of those that came back to the chain at once */
  private takeReverted(reverted: PoolChange["reverted"], here: ReadonlySet<string>): void {
    const gone: Transaction[] = [];
    for (const { transactions } of [...reverted].reverse())
      for (const { id, transaction } of transactions)
        if (!here.has(bytesKey(id))) gone.push(this.asItCame(id, transaction));
    this.takeBack(gone);
  }

  /** The object that came to the chain, with the verdicts on its proofs, for one that was read back from the store. */
  private asItCame(id: Uint8Array, transaction: Transaction): Transaction {
    const known = this.newest.get(bytesKey(id));
    return known !== undefined && bytesEqual(transactionBytes(known), transactionBytes(transaction))
      ? known
      : transaction;
  }

  /** Remembers the transactions of the newest block: with the next key block the end of it may leave the chain. */
  private keepNewest(committed: PoolChange["committed"]): void {
    const height = committed.at(-1)?.height;
    if (height === undefined) return;
    // A key block begins anew, also at the height of the one that it replaces.
    if (committed.some(({ sequence }) => sequence === 0)) this.newest.clear();
    for (const unit of committed)
      if (unit.height === height)
        for (const { id, transaction } of unit.transactions) this.newest.set(bytesKey(id), transaction);
  }

  /**
   * Takes transactions back in their order, as far as they are still valid. They are judged one upon the other: what
   * spends the money of another one, or cancels its lease, comes back with it.
   */
  private takeBack(transactions: readonly Transaction[]): void {
    if (transactions.length === 0) return;
    const now = BigInt(this.clock.now());
    const entries = this.chain.scratch((ledger) => {
      const back: Entry[] = [];
      const context = poolContext(ledger, this.chain.rules, now);
      for (const transaction of transactions) {
        if (!definitionOf(transaction).hasSender || this.checkBlacklist(transaction) !== undefined) continue;
        const outcome = admitToPool(ledger, transaction, context);
        if (outcome instanceof Refusal) continue;
        applyOutcome(ledger, outcome);
        back.push(entryOf(transaction, outcome));
      }
      return back;
    });
    for (const entry of entries) if (this.hasRoomFor(entry.size)) this.replace(entry);
  }

  /**
   * Chooses transactions for a block. Page 05 §24.5. Those chosen stay in the pool until a block brings them;
   * those that turn out invalid leave it.
   */
  pack(request: PackRequest): Packed {
    this.dropExpired();
    const { taken, invalid, room } = this.chain.scratch((ledger) => this.choose(ledger, request));
    for (const entry of invalid) this.drop(entry);
    return { transactions: taken.map(({ transaction }) => transaction), room };
  }

  private choose(ledger: LedgerWriter, request: PackRequest): Choice {
    const blockTimestamp = request.blockTimestamp ?? BigInt(this.clock.now());
    const context = poolContext(ledger, this.chain.rules, blockTimestamp);
    const scriptChanges: Uint8Array[] = [];
    const taken: Entry[] = [];
    const refused: Entry[] = [];
    let { room } = request;
    const take = (entry: Entry, outcome: Outcome, after: Room): void => {
      if (outcome.effect.change?.kind === "script") scriptChanges.push(entry.transaction.senderAddress);
      taken.push(entry);
      room = after;
    };
    const roomWith = ({ transaction }: Entry): Room =>
      roomAfter(
        room,
        transaction,
        room.scripts !== undefined && countsAsScripted(ledger, transaction.senderAddress, scriptChanges),
      );
    let left = request.maxJudged ?? Number.POSITIVE_INFINITY;
    for (const entry of this.byOrder.values()) {
      // No further transaction can fit: the walk would only skip the rest.
      if (room.transactions !== undefined && room.transactions < 1) break;
      const { transaction, size } = entry;
      if (size > room.size) continue;
      if (request.blockTimestamp !== undefined && isTooYoung(transaction, blockTimestamp)) continue;
      if (left-- <= 0) break;
      const after = roomWith(entry);
      if (isOverfilled(after)) continue;
      const wasFull = isFull(room);
      const outcome = applyTransaction(ledger, transaction, context);
      if (outcome instanceof Refusal) {
        refused.push(entry);
        continue;
      }
      if (wasFull) break;
      take(entry, outcome, after);
    }
    // What came back from a removed block may rest on another transaction that was only taken now.
    let invalid = refused;
    for (let pass = 0, before = 0; pass < MAX_PASSES && taken.length > before; pass++) {
      before = taken.length;
      invalid = invalid.filter((entry) => {
        const outcome = validateTransaction(ledger, entry.transaction, context);
        if (outcome instanceof Refusal) return true;
        const after = roomWith(entry);
        if (isOverfilled(after) || isFull(room)) return false;
        applyOutcome(ledger, outcome);
        take(entry, outcome, after);
        return false;
      });
    }
    return { taken, invalid, room };
  }

  /** Drops what is too old: `now - timestamp > max age`, strictly. Page 05 §24.3. */
  dropExpired(): void {
    const oldest = BigInt(this.clock.now() - this.options.maxAgeMs);
    const expired: Entry[] = [];
    for (const entry of this.byAge.values()) {
      if (entry.transaction.timestamp >= oldest) break;
      expired.push(entry);
    }
    for (const entry of expired) this.drop(entry);
  }

  private checkBlacklist(transaction: Transaction): Refusal | undefined {
    const { senderAddress } = transaction;
    if (!this.blacklist.has(bytesKey(senderAddress))) return undefined;
    const payouts = definitionOf(transaction).payouts?.(transaction) ?? [];
    const allowed =
      payouts.length > 0 && payouts.every(({ recipient }) => this.allowed.has(bytesKey(recipient)));
    return allowed ? undefined : refuse("SenderIsBlacklisted", addressText(senderAddress));
  }

  private enter(entry: Entry): void {
    const { transaction, id, idText, size, effects } = entry;
    this.entries.set(bytesKey(id), entry);
    this.byOrder.set(poolKey(transaction, idText), entry);
    this.byAge.set(ageKey(transaction, idText), entry);
    this.bytes += size;
    for (const { address, effect } of effects) this.addEffect(address, effect, 1n);
    for (const hash of anchorsOf(transaction)) {
      const key = bytesKey(hash);
      const entries = this.anchors.get(key);
      if (entries === undefined) this.anchors.set(key, [entry]);
      else entries.push(entry);
    }
  }

  private drop(entry: Entry): void {
    const { transaction, id, idText, size, effects } = entry;
    this.entries.delete(bytesKey(id));
    this.byOrder.delete(poolKey(transaction, idText));
    this.byAge.delete(ageKey(transaction, idText));
    this.bytes -= size;
    for (const { address, effect } of effects) this.addEffect(address, effect, -1n);
    for (const hash of anchorsOf(transaction)) {
      const key = bytesKey(hash);
      const rest = (this.anchors.get(key) ?? []).filter((other) => other !== entry);
      if (rest.length === 0) this.anchors.delete(key);
      else this.anchors.set(key, rest);
    }
  }

  private addEffect(address: Uint8Array, effect: AccountInfo, sign: 1n | -1n): void {
    const key = bytesKey(address);
    const before = this.effects.get(key) ?? NO_EFFECT;
    const after = {
      balance: before.balance + sign * effect.balance,
      leaseIn: 0n,
      leaseOut: before.leaseOut + sign * effect.leaseOut,
      unbonding: before.unbonding + sign * effect.unbonding,
    };
    if (after.balance === 0n && after.leaseOut === 0n && after.unbonding === 0n) this.effects.delete(key);
    else this.effects.set(key, after);
  }
}

function entryOf(transaction: Transaction, outcome: Outcome): Entry {
  const id = transactionId(transaction);
  const size = sizeOf(transaction);
  return { transaction, id, idText: encodeBase58(id), size, effects: pessimistic(outcome) };
}

/** Only what an account loses: page 05 §24.6. */
function pessimistic(outcome: Outcome): Entry["effects"] {
  const effects: { address: Uint8Array; effect: AccountInfo }[] = [];
  for (const { address, balance, leaseOut, unbonding } of outcome.effect.deltas.list) {
    const effect = {
      balance: balance < 0n ? balance : 0n,
      leaseIn: 0n,
      leaseOut: leaseOut > 0n ? leaseOut : 0n,
      unbonding: unbonding > 0n ? unbonding : 0n,
    };
    if (effect.balance !== 0n || effect.leaseOut !== 0n || effect.unbonding !== 0n)
      effects.push({ address, effect });
  }
  return effects;
}

function anchorsOf(transaction: Transaction): readonly Uint8Array[] {
  return definitionOf(transaction).anchors?.(transaction) ?? [];
}

/** Dated more than 90 minutes after the block: page 05 §10.2. */
function isTooYoung({ timestamp }: Transaction, blockTimestamp: bigint): boolean {
  return BigInt.asIntN(64, timestamp - blockTimestamp) > MAX_AHEAD;
}
