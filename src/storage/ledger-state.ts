import { bytesEqual, bytesKey } from "../bytes/compare.ts";
import {
  type Account,
  type AccountHistory,
  type AccountPoint,
  type AssociationDirection,
  type BlockFacts,
  type BlockTotals,
  type DataState,
  emptyAccount,
  type FeatureState,
  type KnownTransaction,
  type LeaseState,
  type LedgerWriter,
  type ScriptState,
  type Unbonding,
} from "../ledger/state.ts";
import type { Writer } from "./kv.ts";
import type { RecentEntries } from "./recent-entries.ts";
import { entryIndexes, tables } from "./tables.ts";
import { findTransaction, type Inclusion } from "./transaction-index.ts";
import type { DataValue } from "./values/data-entry.ts";
import type { RecordedTransaction } from "./values/ledger.ts";

/**
 * The ledger's state in tables, over any writer: a batch (the chain), an overlay on a snapshot (pool, packing),
 * an overlay over nothing (tests).
 *
 * What transactions record is held back until `flush` (which `beginBlock` calls too): whoever closes a unit
 * flushes before. After a unit was abandoned or undone, make a new one.
 */
export class StoredLedger implements LedgerWriter, AccountHistory {
  readonly #rows: Writer;
  readonly #recent: RecentEntries | undefined;
  #height: number;
  #persisted: number;
  /** Transactions recorded since the last flush, and their ids. */
  #recorded: RecordedTransaction[] = [];
  #places = new Map<string, number>();
  /** Position of the first of them in the block; undefined until somebody asks, since readers do not. */
  #knownPosition: number | undefined;

  /**
   * @param recent places of the ids of the last hours, to answer quickly which ids are known; without it every
   * id of the chain is looked up
   */
  constructor(rows: Writer, recent?: RecentEntries) {
    this.#rows = rows;
    this.#recent = recent;
    const heights = rows.get(tables.heights, undefined);
    this.#height = heights?.height ?? 0;
    this.#persisted = heights?.persisted ?? 0;
    recent?.cover(rows);
  }

  get height(): number {
    return this.#height;
  }

  get persistedHeight(): number {
    return this.#persisted;
  }

  /** Number of transactions of the block at `height` so far, its micro blocks included. */
  get transactionCount(): number {
    return this.#firstPosition + this.#recorded.length;
  }

  get #firstPosition(): number {
    this.#knownPosition ??= this.#nextPosition();
    return this.#knownPosition;
  }

  account(address: Uint8Array): Account {
    return this.#rows.get(tables.accounts, address) ?? emptyAccount;
  }

  lease(id: Uint8Array): LeaseState | undefined {
    return this.#rows.get(tables.leases, id);
  }

  script(address: Uint8Array): ScriptState | undefined {
    return this.#rows.get(tables.scripts, address);
  }

  data(address: Uint8Array, key: string): DataState | undefined {
    const value = this.#rows.get(tables.data, { address, key });
    return value && withKey(key, value);
  }

  *dataEntries(address: Uint8Array): Generator<DataState> {
    for (const [{ key }, value] of this.#rows.range(tables.data, { prefix: address }))
      yield withKey(key, value);
  }

  sponsors(address: Uint8Array): readonly Uint8Array[] {
    return this.#rows.get(tables.sponsors, address) ?? [];
  }

  certificate(address: Uint8Array): Uint8Array | undefined {
    return this.#rows.get(tables.certificates, address);
  }

  *associations(address: Uint8Array, direction: AssociationDirection): Generator<Uint8Array> {
    const table = direction === "outgoing" ? tables.outgoingAssociations : tables.incomingAssociations;
    for (const [, id] of this.#rows.range(table, { prefix: address })) yield id;
  }

  knownTransaction(id: Uint8Array): KnownTransaction | undefined {
    const found = this.#inclusion(id, this.#recent);
    return found && { height: found.height, timestamp: found.transaction.timestamp };
  }

  effectiveSponsor(id: Uint8Array): Uint8Array | undefined {
    return this.#inclusion(id, undefined)?.transaction.effectiveSponsor;
  }

  features(): ReadonlyMap<number, FeatureState> {
    return new Map(this.#rows.range(tables.features));
  }

  feePriceOfPeriod(periodStart: number): bigint | undefined {
    return this.#rows.get(tables.feePrices, periodStart);
  }

  unbondingDue(height: number): readonly Unbonding[] {
    return this.#rows.get(tables.unbondingDue, height) ?? [];
  }

  unbondingStarted(height: number): readonly Unbonding[] {
    return this.#rows.get(tables.unbondingStarted, height) ?? [];
  }

  blockFacts(height: number): BlockFacts | undefined {
    return height < 1 ? undefined : this.#rows.get(tables.blockFacts, height);
  }

  blockTotals(height: number): BlockTotals | undefined {
    return height < 1 ? undefined : this.#rows.get(tables.blockTotals, height);
  }

  *accountPoints(address: Uint8Array, from: number, to: number): Generator<AccountPoint> {
    const newest = this.#rows.get(tables.accounts, address);
    if (newest === undefined) return;
    if (newest.changedAt <= to) {
      yield { height: newest.changedAt, account: newest };
      if (newest.changedAt <= from) return;
    }
    const older = { prefix: address, to: { address, height: to + 1 }, reverse: true };
    for (const [{ height }, account] of this.#rows.range(tables.accountHistory, older)) {
      yield { height, account };
      if (height <= from) return;
    }
  }

  /** @throws RangeError when `height` is not the next one */
  beginBlock(height: number, facts: BlockFacts): void {
    if (height !== this.#height + 1)
      throw new RangeError(`Block ${height} cannot follow block ${this.#height}`);
    this.flush();
    this.#height = height;
    this.#knownPosition = 0;
    this.#recent?.advance(facts.timestamp);
    this.#rows.put(tables.heights, undefined, { height, persisted: this.#persisted });
    this.#rows.put(tables.blockFacts, height, facts);
  }

  setPersistedHeight(height: number): void {
    this.#persisted = height;
    this.#rows.put(tables.heights, undefined, { height: this.#height, persisted: height });
  }

  setAccount(address: Uint8Array, account: Account): void {
    const before = this.#rows.get(tables.accounts, address);
    const { balance, leaseIn, leaseOut, unbonding } = account;
    if (before !== undefined) {
      if (
        before.balance === balance &&
        before.leaseIn === leaseIn &&
        before.leaseOut === leaseOut &&
        before.unbonding === unbonding
      ) {
        return;
      }
      if (before.changedAt < this.#height) {
        // Written once, when it is final: the height is in the key, so there is no older row to look for.
        this.#rows.insert(tables.accountHistory, { address, height: before.changedAt }, before);
      }
    }
    this.#rows.put(tables.accounts, address, {
      balance,
      leaseIn,
      leaseOut,
      unbonding,
      changedAt: this.#height,
    });
  }

  setLease(id: Uint8Array, lease: LeaseState): void {
    this.#rows.put(tables.leases, id, lease);
  }

  setScript(address: Uint8Array, script: Uint8Array | undefined): void {
    this.#rows.put(tables.scripts, address, { script, height: this.#height });
  }

  setData(address: Uint8Array, entry: DataState): void {
    this.#rows.put(tables.data, { address, key: entry.key }, entry);
  }

  setSponsors(address: Uint8Array, sponsors: readonly Uint8Array[]): void {
    if (sponsors.length === 0) this.#rows.remove(tables.sponsors, address);
    else this.#rows.put(tables.sponsors, address, sponsors);
  }

  setCertificate(address: Uint8Array, certificate: Uint8Array | undefined): void {
    if (certificate === undefined) this.#rows.remove(tables.certificates, address);
    else this.#rows.put(tables.certificates, address, certificate);
  }

  appendAssociation(sender: Uint8Array, recipient: Uint8Array, id: Uint8Array): void {
    const height = this.#height;
    const position = this.transactionCount;
    this.#rows.put(tables.outgoingAssociations, { address: sender, height, position }, id);
    this.#rows.put(tables.incomingAssociations, { address: recipient, height, position }, id);
  }

  recordTransaction(id: Uint8Array, timestamp: bigint, effectiveSponsor: Uint8Array | undefined): void {
    const position = this.transactionCount;
    this.#recorded.push({ id, timestamp, effectiveSponsor });
    if (this.#recent === undefined) this.#places.set(bytesKey(id), position);
    else this.#recent.add(id, { height: this.#height, position });
    this.#rows.addEntry(entryIndexes.transactionIds, id, { height: this.#height, position });
  }

  /** Writes what transactions recorded since the last flush. Call it before the unit is closed. */
  flush(): void {
    if (this.#recorded.length === 0) return;
    const first = { height: this.#height, position: this.#firstPosition };
    this.#rows.insert(tables.recorded, first, this.#recorded);
    this.#knownPosition = first.position + this.#recorded.length;
    this.#recorded = [];
    this.#places.clear();
  }

  setFeature(id: number, state: FeatureState): void {
    this.#rows.put(tables.features, id, state);
  }

  setFeePriceOfPeriod(periodStart: number, price: bigint): void {
    this.#rows.put(tables.feePrices, periodStart, price);
  }

  setUnbondingDue(height: number, releases: readonly Unbonding[]): void {
    if (releases.length === 0) this.#rows.remove(tables.unbondingDue, height);
    else this.#rows.put(tables.unbondingDue, height, releases);
  }

  setUnbondingStarted(height: number, started: readonly Unbonding[]): void {
    if (started.length === 0) this.#rows.remove(tables.unbondingStarted, height);
    else this.#rows.put(tables.unbondingStarted, height, started);
  }

  setBlockTotals(height: number, totals: BlockTotals): void {
    this.#rows.put(tables.blockTotals, height, totals);
  }

  /** The newest inclusion of an id, among those that `recent` knows when it is given. */
  #inclusion(id: Uint8Array, recent: RecentEntries | undefined): Inclusion | undefined {
    const candidates = recent?.find(id);
    if (candidates?.length === 0) return undefined;
    const open = this.#openInclusion(id);
    if (open !== undefined) return open;
    return findTransaction(this.#rows, id, candidates);
  }

  /** The newest inclusion among the transactions that are not flushed yet. */
  #openInclusion(id: Uint8Array): Inclusion | undefined {
    const first = this.#firstPosition;
    const recorded = this.#recorded;
    // Where ids are remembered elsewhere, this is only asked for the few that are known, or begin like one.
    const position =
      this.#recent === undefined
        ? this.#places.get(bytesKey(id))
        : first + recorded.findLastIndex((transaction) => bytesEqual(transaction.id, id));
    if (position === undefined || position < first) return undefined;
    return { height: this.#height, position, transaction: recorded[position - first] };
  }

  #nextPosition(): number {
    const atHeight = {
      from: { height: this.#height, position: 0 },
      to: { height: this.#height + 1, position: 0 },
    };
    for (const [{ position }, recorded] of this.#rows.range(tables.recorded, {
      ...atHeight,
      reverse: true,
      limit: 1,
    })) {
      return position + recorded.length;
    }
    return 0;
  }
}

function withKey(key: string, value: DataValue): DataState {
  // Type and value belong together in the row as they do in the entry; a spread of a union loses that.
  return { key, type: value.type, value: value.value } as DataState;
}
