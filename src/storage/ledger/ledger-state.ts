import { bytesEqual, bytesKey } from "../../bytes/compare.ts";
import type {
  Account,
  AssociationEvent,
  BlockFacts,
  BlockTotals,
  DataState,
  FeatureState,
  LeaseState,
  LedgerWriter,
  ScriptState,
  Unbonding,
} from "../../ledger/state.ts";
import type { Writer } from "../kv.ts";
import type { Place } from "../places.ts";
import { invertedIndexes } from "../postings/all.ts";
import { writePostingRow } from "../postings/inverted-index.ts";
import { UnitPostings } from "../postings/unit-postings.ts";
import { lsmTrees, tables } from "../tables.ts";
import {
  type AccountRow,
  accountPointLength,
  PackedTransactions,
  type RecordedTransaction,
  writeAccountPoint,
} from "../values/ledger.ts";
import type { SponsorList } from "../values/sponsors.ts";
import { AccountCache, type CachedAccount, NO_ACCOUNT } from "./account-cache.ts";
import { updateAssociationState } from "./association-states.ts";
import { StoredLedgerView } from "./ledger-view.ts";
import type { IdCache } from "./recent-ids.ts";
import type { Inclusion } from "./recorded-transactions.ts";
import { SponsorWriter } from "./sponsors.ts";

/**
 * Writes the ledger as rows, to the chain's write batch or, in trial runs and tests, to an overlay.
 *
 * Accounts, recorded transactions and started unbondings are buffered until `flush` or `beginBlock`. After a unit was
 * abandoned or undone, create a new ledger.
 */
export class StoredLedger extends StoredLedgerView implements LedgerWriter {
  readonly #rows: Writer;
  readonly #recentIds: IdCache | undefined;
  #recorded: RecordedTransaction[] = [];
  #positionById = new Map<string, number>();
  /** Position in the block of the first transaction in `#recorded`; undefined until needed. */
  #cachedFirstPosition: number | undefined;
  /** Most rules read the same accounts several times per transaction. */
  readonly #accounts = new AccountCache();
  /** In the order of the first change of their amounts. */
  readonly #changed: CachedAccount[] = [];
  /** In the order of the first change of the number of sponsored accounts; includes accounts in `#changed`. */
  readonly #countChanged: CachedAccount[] = [];
  readonly #sponsors: SponsorWriter;
  #unbondingStarted: Unbonding[] = [];
  readonly #unbondingByHeight = new Map<number, Unbonding[]>();
  #lacksTotals = false;

  constructor(rows: Writer, recentIds?: IdCache) {
    super(rows, recentIds);
    this.#rows = rows;
    this.#recentIds = recentIds;
    this.#sponsors = new SponsorWriter(rows, (address) => this.accountRow(address));
  }

  /** Number of transactions of the newest block so far, including micro blocks. */
  get transactionCount(): number {
    return this.#firstPosition + this.#recorded.length;
  }

  get #firstPosition(): number {
    this.#cachedFirstPosition ??= this.#nextPosition();
    return this.#cachedFirstPosition;
  }

  override script(address: Uint8Array): ScriptState | undefined {
    const cached = this.#cached(address);
    cached.script ??= { state: super.script(address) };
    return cached.script.state;
  }

  override payingSponsor(address: Uint8Array, fee: bigint): Uint8Array | undefined {
    this.#sponsors.flushAccount(address);
    return super.payingSponsor(address, fee);
  }

  beginBlock(height: number, facts: BlockFacts): void {
    if (height !== this.height + 1)
      throw new RangeError(`Block ${height} cannot follow block ${this.height}`);
    this.flush();
    this.#setHeights(height, this.persistedHeight);
    this.#cachedFirstPosition = 0;
    this.#recentIds?.beginBlock(facts.timestamp);
    this.#rows.insert(tables.blockFacts, height, facts);
    this.#lacksTotals = true;
    this.#unbondingByHeight.set(height, []);
    this.#unbondingByHeight.delete(height - 2);
  }

  setPersistedHeight(height: number): void {
    this.#setHeights(this.height, height);
  }

  setAccount(address: Uint8Array, account: Account): void {
    const cached = this.#cached(address);
    const before = cached.account;
    const { balance, leaseIn, leaseOut, unbonding } = account;
    if (
      before.changedAt > 0 &&
      before.balance === balance &&
      before.leaseIn === leaseIn &&
      before.leaseOut === leaseOut &&
      before.unbonding === unbonding
    )
      return;
    if (before.sponsored === undefined)
      cached.account = { balance, leaseIn, leaseOut, unbonding, changedAt: this.height };
    else {
      const { sponsored } = before;
      cached.account = { balance, leaseIn, leaseOut, unbonding, changedAt: this.height, sponsored };
      this.#sponsors.markChanged(address);
    }
    if (cached.change === "amounts") return;
    cached.change = "amounts";
    this.#changed.push(cached);
  }

  setLease(id: Uint8Array, lease: LeaseState): void {
    this.#rows.put(tables.leases, id, lease);
  }

  setScript(address: Uint8Array, script: Uint8Array | undefined): void {
    const state = { script, height: this.height };
    this.#rows.put(tables.scripts, address, state);
    this.#cached(address).script = { state };
  }

  setData(address: Uint8Array, entry: DataState): void {
    this.#rows.put(tables.data, { address, key: entry.key }, entry);
  }

  addSponsor(address: Uint8Array, sponsor: Uint8Array): void {
    this.#changeSponsoredCount(sponsor, 1);
    const list = this.#sponsors.add(address, sponsor);
    this.#cached(address).sponsors = { list };
  }

  removeSponsor(address: Uint8Array, sponsor: Uint8Array): void {
    if (!this.isSponsor(address, sponsor)) return;
    this.#changeSponsoredCount(sponsor, -1);
    const list = this.#sponsors.remove(address, sponsor);
    this.#cached(address).sponsors = { list };
  }

  setCertificate(address: Uint8Array, certificate: Uint8Array | undefined): void {
    if (certificate === undefined) this.#rows.remove(tables.certificates, address);
    else this.#rows.put(tables.certificates, address, certificate);
  }

  appendAssociation(event: AssociationEvent): void {
    const { sender, id, terms } = event;
    const height = this.height;
    const position = this.transactionCount;
    this.#rows.put(tables.outgoingAssociations, { address: sender, height, position }, id);
    this.#rows.put(tables.incomingAssociations, { address: terms.recipient, height, position }, id);
    updateAssociationState(this.#rows, event, height);
  }

  recordTransaction(id: Uint8Array, timestamp: bigint, effectiveSponsor: Uint8Array | undefined): void {
    const place = { height: this.height, position: this.transactionCount };
    this.#recorded.push({ id, timestamp, effectiveSponsor });
    if (this.#recentIds === undefined) this.#positionById.set(bytesKey(id), place.position);
    else this.#recentIds.add(id, place);
    this.#rows.addEntry(lsmTrees.transactionIds, id, place);
  }

  /** Writes buffered rows. Call this before each unit ends, with the unit's sequence. */
  flush(sequence = 0): void {
    this.#flushAccounts(sequence);
    this.#flushRecorded();
    this.#flushUnbondingStarted(sequence);
  }

  #changeSponsoredCount(sponsor: Uint8Array, difference: number): void {
    const cached = this.#cached(sponsor);
    const { balance, leaseIn, leaseOut, unbonding, changedAt, sponsored = 0 } = cached.account;
    const after = sponsored + difference;
    cached.account = {
      balance,
      leaseIn,
      leaseOut,
      unbonding,
      changedAt,
      ...(after === 0 ? {} : { sponsored: after }),
    };
    if (cached.change !== "none") return;
    cached.change = "count";
    this.#countChanged.push(cached);
  }

  #flushAccounts(sequence: number): void {
    this.#sponsors.flush();
    for (const cached of this.#countChanged) {
      const { key: address, row, account } = cached;
      if (cached.change !== "count") continue;
      cached.change = "none";
      if (account.changedAt === 0 && account.sponsored === undefined)
        this.#rows.remove(tables.accounts, address);
      else this.#rows.putOpened(tables.accounts, row, account);
    }
    this.#countChanged.length = 0;
    const changed = this.#changed;
    this.#accounts.onWritten();
    if (changed.length === 0) return;
    for (const cached of changed) {
      const { row, account } = cached;
      cached.change = "none";
      this.#rows.putOpened(tables.accounts, row, account);
      cached.length = accountPointLength(account);
    }
    const row = UnitPostings.withRoom(changed);
    const view = new DataView(row.bytes.buffer);
    for (const { at, account } of changed) writeAccountPoint(view, at, account);
    const unit = { height: this.height, sequence };
    writePostingRow(this.#rows, invertedIndexes.accountHistory, unit, changed, row);
    changed.length = 0;
  }

  #flushUnbondingStarted(sequence: number): void {
    if (this.#unbondingStarted.length === 0) return;
    this.#rows.insert(tables.unbondingStarted, { height: this.height, sequence }, this.#unbondingStarted);
    this.#unbondingStarted = [];
  }

  #flushRecorded(): void {
    if (this.#recorded.length === 0) return;
    const first = { height: this.height, position: this.#firstPosition };
    this.#rows.insert(tables.recorded, first, PackedTransactions.of(this.#recorded));
    this.#cachedFirstPosition = first.position + this.#recorded.length;
    this.#recorded = [];
    this.#positionById.clear();
  }

  #cached(address: Uint8Array): CachedAccount {
    const known = this.#accounts.get(address);
    if (known !== undefined) return known;
    const row = this.#rows.open(tables.accounts, address);
    const added: CachedAccount = {
      key: address,
      length: 0,
      at: 0,
      row,
      account: row.value ?? NO_ACCOUNT,
      change: "none",
      script: undefined,
      sponsors: undefined,
    };
    this.#accounts.add(added);
    return added;
  }

  setFeature(id: number, state: FeatureState): void {
    this.#rows.put(tables.features, id, state);
    this.forgetFeatures();
  }

  setFeePriceOfPeriod(periodStart: number, price: bigint): void {
    this.#rows.put(tables.feePrices, periodStart, price);
  }

  setUnbondingDue(height: number, releases: readonly Unbonding[]): void {
    if (releases.length === 0) this.#rows.remove(tables.unbondingDue, height);
    else this.#rows.put(tables.unbondingDue, height, releases);
  }

  addUnbondingStarted(started: readonly Unbonding[]): void {
    this.#unbondingStarted.push(...started);
    this.#unbondingByHeight.get(this.height)?.push(...started);
  }

  override unbondingStarted(height: number): readonly Unbonding[] {
    const cached = this.#unbondingByHeight.get(height);
    if (cached !== undefined) return cached;
    const stored = super.unbondingStarted(height);
    return height === this.height ? [...stored, ...this.#unbondingStarted] : stored;
  }

  setBlockTotals(height: number, totals: BlockTotals): void {
    if (this.#lacksTotals) this.#rows.insert(tables.blockTotals, height, totals);
    else this.#rows.put(tables.blockTotals, height, totals);
    this.#lacksTotals = false;
  }

  protected override accountRow(address: Uint8Array): AccountRow | undefined {
    const { account } = this.#cached(address);
    return account === NO_ACCOUNT ? undefined : account;
  }

  protected override sponsorList(address: Uint8Array): SponsorList | undefined {
    const cached = this.#cached(address);
    cached.sponsors ??= { list: super.sponsorList(address) };
    return cached.sponsors.list;
  }

  protected override inclusion(id: Uint8Array, candidates?: readonly Place[]): Inclusion | undefined {
    return this.#unflushedInclusion(id) ?? super.inclusion(id, candidates);
  }

  #setHeights(height: number, persisted: number): void {
    this.moveTo({ height, persisted });
    this.#rows.put(tables.heights, undefined, { height, persisted });
  }

  #unflushedInclusion(id: Uint8Array): Inclusion | undefined {
    const first = this.#firstPosition;
    const recorded = this.#recorded;
    const position =
      this.#recentIds === undefined
        ? this.#positionById.get(bytesKey(id))
        : first + recorded.findLastIndex((transaction) => bytesEqual(transaction.id, id));
    if (position === undefined || position < first) return undefined;
    return { height: this.height, position, transaction: recorded[position - first] };
  }

  #nextPosition(): number {
    const atHeight = {
      from: { height: this.height, position: 0 },
      to: { height: this.height + 1, position: 0 },
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
