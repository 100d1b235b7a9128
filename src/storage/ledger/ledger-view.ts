import { spendableBalance } from "../../ledger/account.ts";
import {
  type Account,
  type AccountHistory,
  type AccountPoint,
  type AssociationDirection,
  type AssociationState,
  type BlockFacts,
  type BlockTotals,
  type DataState,
  emptyAccount,
  type FeatureState,
  type KnownTransaction,
  type LeaseState,
  type LedgerView,
  type ScriptState,
  type Unbonding,
} from "../../ledger/state.ts";
import type { AssociationTerms } from "../../transactions/index.ts";
import type { Reader } from "../kv.ts";
import type { Place, UnitKey } from "../places.ts";
import { invertedIndexes } from "../postings/all.ts";
import { postingsByHeight, postingsDescending } from "../postings/inverted-index.ts";
import { tables } from "../tables.ts";
import type { DataValue } from "../values/data-entry.ts";
import { type AccountRow, accountPointValue, type Heights } from "../values/ledger.ts";
import type { SponsorList } from "../values/sponsors.ts";
import { associationKey } from "./association-states.ts";
import type { IdCache } from "./recent-ids.ts";
import { findTransaction, type Inclusion } from "./recorded-transactions.ts";
import { sponsorsNewestFirst, sponsorsWithFunds } from "./sponsors.ts";

const NO_HEIGHTS: Heights = { height: 0, persisted: 0 };

/** Caches only values that cannot change while the reader shows the same state. */
export class StoredLedgerView implements LedgerView, AccountHistory {
  protected readonly reader: Reader;
  #heights: Heights;
  #features: ReadonlyMap<number, FeatureState> | undefined;

  readonly #recentIds: IdCache | undefined;

  /** @param recent without this cache, `knownTransaction` looks up every id in the store */
  constructor(reader: Reader, recent?: IdCache) {
    this.reader = reader;
    this.#recentIds = recent;
    recent?.fillFrom(reader);
    this.#heights = reader.get(tables.heights, undefined) ?? NO_HEIGHTS;
  }

  get height(): number {
    return this.#heights.height;
  }

  get persistedHeight(): number {
    return this.#heights.persisted;
  }

  account(address: Uint8Array): Account {
    return this.accountRow(address) ?? emptyAccount;
  }

  lease(id: Uint8Array): LeaseState | undefined {
    return this.reader.get(tables.leases, id);
  }

  script(address: Uint8Array): ScriptState | undefined {
    return this.reader.get(tables.scripts, address);
  }

  data(address: Uint8Array, key: string): DataState | undefined {
    const value = this.reader.get(tables.data, { address, key });
    return value && withKey(key, value);
  }

  *dataEntries(address: Uint8Array, after?: string): Generator<DataState> {
    const from = after === undefined ? {} : { from: { address, key: after } };
    for (const [{ key }, value] of this.reader.range(tables.data, { prefix: address, ...from }))
      if (key !== after) yield withKey(key, value);
  }

  sponsors(address: Uint8Array): readonly Uint8Array[] {
    return [...sponsorsNewestFirst(this.reader, address)];
  }

  sponsorCount(address: Uint8Array): number {
    return this.sponsorList(address)?.count ?? 0;
  }

  isSponsor(address: Uint8Array, sponsor: Uint8Array): boolean {
    return this.reader.get(tables.sponsorships, { first: sponsor, second: address }) !== undefined;
  }

  payingSponsor(address: Uint8Array, fee: bigint): Uint8Array | undefined {
    const list = this.sponsorList(address);
    if (list === undefined) return undefined;
    for (const sponsor of sponsorsWithFunds(this.reader, address, list, fee))
      if (spendableBalance(this.account(sponsor)) >= fee) return sponsor;
    return undefined;
  }

  certificate(address: Uint8Array): Uint8Array | undefined {
    return this.reader.get(tables.certificates, address);
  }

  *associations(address: Uint8Array, direction: AssociationDirection): Generator<Uint8Array> {
    const table = direction === "outgoing" ? tables.outgoingAssociations : tables.incomingAssociations;
    for (const [, id] of this.reader.range(table, { prefix: address })) yield id;
  }

  associationState(sender: Uint8Array, terms: AssociationTerms): AssociationState | undefined {
    return this.reader.get(tables.associationStates, associationKey(sender, terms));
  }

  knownTransaction(id: Uint8Array): KnownTransaction | undefined {
    const candidates = this.#recentIds?.find(id);
    const found = candidates?.length === 0 ? undefined : this.inclusion(id, candidates);
    return found && { height: found.height, timestamp: found.transaction.timestamp };
  }

  effectiveSponsor(id: Uint8Array): Uint8Array | undefined {
    return this.inclusion(id)?.transaction.effectiveSponsor;
  }

  features(): ReadonlyMap<number, FeatureState> {
    this.#features ??= new Map(this.reader.range(tables.features));
    return this.#features;
  }

  feePriceOfPeriod(periodStart: number): bigint | undefined {
    return this.reader.get(tables.feePrices, periodStart);
  }

  unbondingDue(height: number): readonly Unbonding[] {
    return this.reader.get(tables.unbondingDue, height) ?? [];
  }

  unbondingStarted(height: number): readonly Unbonding[] {
    const ofHeight = { from: { height, sequence: 0 }, to: { height: height + 1, sequence: 0 } };
    return [...this.reader.range(tables.unbondingStarted, ofHeight)].flatMap(([, started]) => started);
  }

  blockFacts(height: number): BlockFacts | undefined {
    return height < 1 ? undefined : this.reader.get(tables.blockFacts, height);
  }

  blockTotals(height: number): BlockTotals | undefined {
    return height < 1 ? undefined : this.reader.get(tables.blockTotals, height);
  }

  *accountPoints(address: Uint8Array, from: number, to: number): Generator<AccountPoint> {
    const newest = this.accountRow(address);
    if (newest === undefined || newest.changedAt === 0) return;
    if (newest.changedAt <= to) {
      yield { height: newest.changedAt, account: newest };
      if (newest.changedAt <= from) return;
    }
    const below = Math.min(to + 1, newest.changedAt);
    for (const { unit, value } of postingsByHeight(
      this.reader,
      invertedIndexes.accountHistory,
      address,
      below,
    )) {
      yield { height: unit.height, account: accountPointValue.decode(value) };
      if (unit.height <= from) return;
    }
  }

  *accountChanges(
    address: Uint8Array,
    before?: UnitKey,
  ): Generator<{ readonly unit: UnitKey; readonly account: Account }> {
    for (const { unit, value } of postingsDescending(
      this.reader,
      invertedIndexes.accountHistory,
      address,
      before,
    ))
      yield { unit, account: accountPointValue.decode(value) };
  }

  protected accountRow(address: Uint8Array): AccountRow | undefined {
    return this.reader.get(tables.accounts, address);
  }

  protected sponsorList(address: Uint8Array): SponsorList | undefined {
    return this.reader.get(tables.sponsorLists, address);
  }

  protected inclusion(id: Uint8Array, candidates?: readonly Place[]): Inclusion | undefined {
    return findTransaction(this.reader, id, candidates);
  }

  protected moveTo(heights: Heights): void {
    this.#heights = heights;
  }

  protected forgetFeatures(): void {
    this.#features = undefined;
  }
}

function withKey(key: string, value: DataValue): DataState {
  // Type and value match, but the compiler loses this when a union is spread.
  return { key, type: value.type, value: value.value } as DataState;
}
