/**
 * A ledger state in plain maps: a simple model of what `StoredLedger` keeps in rows, for property tests that
 * compare the two. Tests of single rules use it to avoid a store.
 */
import { bytesEqual, bytesKey } from "../../bytes/compare.ts";
import { keyBytes } from "../../bytes/testing/key-bytes.ts";
import type { AssociationTerms } from "../../transactions/index.ts";
import { spendableBalance } from "../account.ts";
import { associationStateAfter } from "../associations.ts";
import {
  type Account,
  type AccountHistory,
  type AccountPoint,
  type AssociationDirection,
  type AssociationEvent,
  type AssociationState,
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
} from "../state.ts";

class Maps {
  readonly accounts = new Map<string, readonly AccountPoint[]>();
  readonly leases = new Map<string, LeaseState>();
  readonly scripts = new Map<string, ScriptState>();
  readonly data = new Map<string, ReadonlyMap<string, DataState>>();
  readonly sponsors = new Map<string, readonly Uint8Array[]>();
  readonly certificates = new Map<string, Uint8Array>();
  readonly outgoing = new Map<string, readonly Uint8Array[]>();
  readonly incoming = new Map<string, readonly Uint8Array[]>();
  readonly associationStates = new Map<string, AssociationState>();
  readonly known = new Map<string, KnownTransaction>();
  readonly effectiveSponsors = new Map<string, Uint8Array>();
  readonly features = new Map<number, FeatureState>();
  readonly feePrices = new Map<number, bigint>();
  readonly due = new Map<number, readonly Unbonding[]>();
  readonly started = new Map<number, readonly Unbonding[]>();
  readonly facts = new Map<number, BlockFacts>();
  readonly totals = new Map<number, BlockTotals>();
}

export interface SavedLedger {
  readonly height: number;
  readonly persistedHeight: number;
  readonly maps: Maps;
}

/** Values are never changed in place, so a copy of the maps is a copy of the state. */
export class MemoryLedger implements LedgerWriter, AccountHistory {
  height = 0;
  persistedHeight = 0;
  #maps = new Maps();

  save(): SavedLedger {
    return { height: this.height, persistedHeight: this.persistedHeight, maps: copyOf(this.#maps) };
  }

  /** The saved state stays usable. */
  restore({ height, persistedHeight, maps }: SavedLedger): void {
    this.height = height;
    this.persistedHeight = persistedHeight;
    this.#maps = copyOf(maps);
  }

  /** Addresses that ever held anything. */
  addresses(): Uint8Array[] {
    return [...this.#maps.accounts.keys()].map(keyBytes);
  }

  account(address: Uint8Array): Account {
    return this.#maps.accounts.get(bytesKey(address))?.[0].account ?? emptyAccount;
  }
  lease(id: Uint8Array): LeaseState | undefined {
    return this.#maps.leases.get(bytesKey(id));
  }
  script(address: Uint8Array): ScriptState | undefined {
    return this.#maps.scripts.get(bytesKey(address));
  }
  data(address: Uint8Array, key: string): DataState | undefined {
    return this.#maps.data.get(bytesKey(address))?.get(key);
  }
  dataEntries(address: Uint8Array): DataState[] {
    const entries = this.#maps.data.get(bytesKey(address)) ?? new Map<string, DataState>();
    return [...entries.values()].sort((a, b) => (a.key < b.key ? -1 : 1));
  }
  sponsors(address: Uint8Array): readonly Uint8Array[] {
    return this.#maps.sponsors.get(bytesKey(address)) ?? [];
  }
  isSponsor(address: Uint8Array, sponsor: Uint8Array): boolean {
    return this.sponsors(address).some((one) => bytesEqual(one, sponsor));
  }
  payingSponsor(address: Uint8Array, fee: bigint): Uint8Array | undefined {
    return this.sponsors(address).find((sponsor) => spendableBalance(this.account(sponsor)) >= fee);
  }
  certificate(address: Uint8Array): Uint8Array | undefined {
    return this.#maps.certificates.get(bytesKey(address));
  }
  associations(address: Uint8Array, direction: AssociationDirection): readonly Uint8Array[] {
    return this.#maps[direction].get(bytesKey(address)) ?? [];
  }
  knownTransaction(id: Uint8Array): KnownTransaction | undefined {
    return this.#maps.known.get(bytesKey(id));
  }
  effectiveSponsor(id: Uint8Array): Uint8Array | undefined {
    return this.#maps.effectiveSponsors.get(bytesKey(id));
  }
  features(): ReadonlyMap<number, FeatureState> {
    return this.#maps.features;
  }
  feePriceOfPeriod(periodStart: number): bigint | undefined {
    return this.#maps.feePrices.get(periodStart);
  }
  unbondingDue(height: number): readonly Unbonding[] {
    return this.#maps.due.get(height) ?? [];
  }
  unbondingStarted(height: number): readonly Unbonding[] {
    return this.#maps.started.get(height) ?? [];
  }
  blockFacts(height: number): BlockFacts | undefined {
    return this.#maps.facts.get(height);
  }
  blockTotals(height: number): BlockTotals | undefined {
    return this.#maps.totals.get(height);
  }
  accountPoints(address: Uint8Array, from: number, to: number): AccountPoint[] {
    const points = this.#maps.accounts.get(bytesKey(address)) ?? [];
    const below = points.find((point) => point.height <= from);
    const within = points.filter((point) => point.height > from && point.height <= to);
    return below === undefined ? within : [...within, below];
  }

  beginBlock(height: number, { timestamp, generator, features, feeVote }: BlockFacts): void {
    if (height !== this.height + 1) throw new RangeError(`block ${height} does not follow ${this.height}`);
    this.height = height;
    this.#maps.facts.set(height, { timestamp, generator, features, feeVote });
  }
  setPersistedHeight(height: number): void {
    this.persistedHeight = height;
  }
  setAccount(address: Uint8Array, account: Account): void {
    const key = bytesKey(address);
    const points = this.#maps.accounts.get(key) ?? [];
    const older = points[0]?.height === this.height ? points.slice(1) : points;
    this.#maps.accounts.set(key, [{ height: this.height, account }, ...older]);
  }
  setLease(id: Uint8Array, lease: LeaseState): void {
    this.#maps.leases.set(bytesKey(id), lease);
  }
  setScript(address: Uint8Array, script: Uint8Array | undefined): void {
    this.#maps.scripts.set(bytesKey(address), { script, height: this.height });
  }
  setData(address: Uint8Array, entry: DataState): void {
    const key = bytesKey(address);
    this.#maps.data.set(key, new Map(this.#maps.data.get(key)).set(entry.key, entry));
  }
  addSponsor(address: Uint8Array, sponsor: Uint8Array): void {
    this.#maps.sponsors.set(bytesKey(address), [sponsor, ...this.sponsors(address)]);
  }
  removeSponsor(address: Uint8Array, sponsor: Uint8Array): void {
    const others = this.sponsors(address).filter((one) => !bytesEqual(one, sponsor));
    this.#maps.sponsors.set(bytesKey(address), others);
  }
  setCertificate(address: Uint8Array, certificate: Uint8Array | undefined): void {
    if (certificate === undefined) this.#maps.certificates.delete(bytesKey(address));
    else this.#maps.certificates.set(bytesKey(address), certificate);
  }
  associationState(sender: Uint8Array, terms: AssociationTerms): AssociationState | undefined {
    return this.#maps.associationStates.get(associationText(sender, terms));
  }
  appendAssociation(event: AssociationEvent): void {
    const { sender, id, terms } = event;
    const { recipient } = terms;
    const state = associationStateAfter(this.associationState(sender, terms), event, this.height);
    this.#maps.associationStates.set(associationText(sender, terms), state);
    const out = bytesKey(sender);
    this.#maps.outgoing.set(out, [...(this.#maps.outgoing.get(out) ?? []), id]);
    const into = bytesKey(recipient);
    this.#maps.incoming.set(into, [...(this.#maps.incoming.get(into) ?? []), id]);
  }
  recordTransaction(id: Uint8Array, timestamp: bigint, effectiveSponsor: Uint8Array | undefined): void {
    const key = bytesKey(id);
    this.#maps.known.set(key, { height: this.height, timestamp });
    if (effectiveSponsor === undefined) this.#maps.effectiveSponsors.delete(key);
    else this.#maps.effectiveSponsors.set(key, effectiveSponsor);
  }
  setFeature(id: number, state: FeatureState): void {
    this.#maps.features.set(id, state);
  }
  setFeePriceOfPeriod(periodStart: number, price: bigint): void {
    this.#maps.feePrices.set(periodStart, price);
  }
  setUnbondingDue(height: number, releases: readonly Unbonding[]): void {
    this.#maps.due.set(height, releases);
  }
  addUnbondingStarted(started: readonly Unbonding[]): void {
    this.#maps.started.set(this.height, [...this.unbondingStarted(this.height), ...started]);
  }
  setBlockTotals(height: number, totals: BlockTotals): void {
    this.#maps.totals.set(height, totals);
  }
}

function associationText(
  sender: Uint8Array,
  { associationType, recipient, subject }: AssociationTerms,
): string {
  const about = subject === undefined ? "" : `:${bytesKey(subject)}`;
  return `${bytesKey(sender)}:${associationType}:${bytesKey(recipient)}${about}`;
}

function copyOf(maps: Maps): Maps {
  const copy = new Maps();
  for (const name of Object.keys(maps) as (keyof Maps)[]) {
    // Both maps have the same name, so they have the same types.
    const target = copy[name] as Map<unknown, unknown>;
    for (const [key, value] of maps[name]) target.set(key, value);
  }
  return copy;
}
