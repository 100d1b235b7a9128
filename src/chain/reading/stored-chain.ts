import { bytesKey } from "../../bytes/compare.ts";
import { windowLength, windowOf } from "../../consensus/votes.ts";
import { ADDRESS_LENGTH } from "../../crypto/addresses.ts";
import { anchorOf, mappedAnchorsOf } from "../../indexes/anchors/write.ts";
import { associatedAddressesOf } from "../../indexes/associations/write.ts";
import { indexNames } from "../../indexes/chain-index.ts";
import { forgersOf } from "../../indexes/generators/write.ts";
import { answerDid, identityVersions } from "../../indexes/identities/did-core.ts";
import { resolveDid } from "../../indexes/identities/did-resolution.ts";
import { identityFacts, identityRecords } from "../../indexes/identities/write.ts";
import { daySumsOf, forgedBetween } from "../../indexes/statistics/write.ts";
import {
  groupPageOf,
  nodeListOf,
  transactionGroups,
  transactionsOfGroup,
} from "../../indexes/transactions/write.ts";
import {
  issuableRoles,
  roleGrantsOf,
  roleHoldersOf,
  type TrustSettings,
  trustRolesOf,
} from "../../indexes/trust/write.ts";
import type {
  AccountChange,
  AccountInfo,
  AddressListPlace,
  AddressTransactionsQuery,
  AppliedUnit,
  AssociationInfo,
  AssociationPlace,
  BlockInfo,
  ChainCursor,
  ChainReader,
  ChainSnapshot,
  ChainTransaction,
  ChangesSince,
  CredentialQuery,
  DidAnswer,
  DidRequest,
  DueBlocks,
  FeatureInfo,
  FeeVoteInfo,
  HeaderInfo,
  IndexName,
  IndexProgress,
  LeafProof,
  ListPage,
  NewestTransactions,
  RevertedBlockInfo,
  RoleHolder,
  SponsoredPage,
} from "../../interfaces.ts";
import { checkRequest } from "../../ledger/admission.ts";
import { type AssociationReader, associationsOf } from "../../ledger/associations.ts";
import {
  balanceChanges,
  balanceWithConfirmations,
  effectiveBalanceWithConfirmations,
  generatingBalance,
  persistedGeneratingBalance,
} from "../../ledger/balances.ts";
import { eraAt, feePriceAt, type LedgerRules } from "../../ledger/era.ts";
import { minimumFee } from "../../ledger/fees.ts";
import { persistBlock } from "../../ledger/persist.ts";
import type { Refusal } from "../../ledger/refusal.ts";
import type { DataState, FeatureState } from "../../ledger/state.ts";
import type { NetworkProfile } from "../../profiles/profile.ts";
import { Overlay } from "../../storage/batch/overlay.ts";
import type { Reader } from "../../storage/kv.ts";
import { StoredLedger } from "../../storage/ledger/ledger-state.ts";
import { StoredLedgerView } from "../../storage/ledger/ledger-view.ts";
import { findTransaction, recordedAt } from "../../storage/ledger/recorded-transactions.ts";
import { tables } from "../../storage/tables.ts";
import type { DataEntry } from "../../transactions/data-entry.ts";
import { definitions, type Transaction } from "../../transactions/index.ts";
import { accountChangesOf } from "./account-changes.ts";
import { changesSince, newestUnit, unitOf } from "./changes.ts";
import { credentialStatusOf } from "./credential-status.ts";
import { dueBlocksOf } from "./due-blocks.ts";
import type { GeneratingBalances } from "./generating-balances.ts";
import { type IndexState, indexProgress, indexState } from "./index-states.ts";
import { microBlockRows } from "./micro-blocks.ts";
import { newestTransactionsOf } from "./newest-transactions.ts";
import { associationsBehind, matching, pageOf, pageOfBoth } from "./pages.ts";
import { revertedBlockOf } from "./reverted-blocks.ts";
import { storedBlockBytes } from "./rows.ts";
import { sponsoredBy } from "./sponsored.ts";
import { isHeight, StoredBlockReader } from "./stored-blocks.ts";

/** What answers depend on beside the chain. */
export interface ReaderContext {
  readonly profile: NetworkProfile;
  readonly rules: LedgerRules;
  /** Whether `addressTransactions` lists all types. Page 06 §7.5. */
  readonly indexAll: boolean;
  readonly trust: TrustSettings;
  /** Looks a hash up among the leaves of this node's trees; it has none unless given. */
  readonly leaves?: ((hash: Uint8Array) => LeafProof | undefined) | undefined;
}

/** Anything that hands out consistent states: a store. */
export interface ReadableStore {
  read<T>(reading: (reader: Reader) => T): T;
}

/** Reads the chain of a store. It may be the writer's store or a read-only one in another thread. */
export function chainReader(store: ReadableStore, context: ReaderContext): ChainReader {
  return {
    read: (reading) => store.read((reader) => reading(new StoredChain(reader, context))),
    // Every read has a snapshot of its own.
    renew: () => {},
  };
}

/** The chain in one state of the tables. */
export class StoredChain implements ChainSnapshot {
  private readonly ledger: StoredLedgerView;
  private readonly blocks: StoredBlockReader;
  #state: string | undefined;
  /** Of the indexes that were asked about. */
  private readonly states = new Map<IndexName, IndexState | undefined>();

  constructor(
    private readonly reader: Reader,
    private readonly context: ReaderContext,
    /** Remembers what was read of earlier states. */
    private readonly balances?: GeneratingBalances,
  ) {
    this.ledger = new StoredLedgerView(reader);
    this.blocks = new StoredBlockReader(reader, this.ledger, context.profile, context.rules);
  }

  // ------------------------------------------------------------------------------------------------- chain

  height(): number {
    return this.ledger.height;
  }

  persistedHeight(): number {
    return this.ledger.persistedHeight;
  }

  tip(): ChainCursor {
    return newestUnit(this.reader);
  }

  state(): string {
    this.#state ??= this.readState();
    return this.#state;
  }

  /**
   * A block names the one before it, so that the id of the newest unit stands for the whole chain, and all tables follow
   * from that; but for whether the block is final, which a rollback makes it without a child, and for indexes that are
   * being built.
   */
  private readState(): string {
    const { height, sequence, id } = this.tip();
    const shown = indexNames.map((name) => (this.holds(name) ? name : "")).join();
    return `${this.persistedHeight()} ${height} ${sequence} ${shown} ${bytesKey(id)}`;
  }

  changesSince(cursor: ChainCursor, limit: number, enough?: number): ChangesSince {
    return changesSince(this.reader, this.context.profile, cursor, limit, enough);
  }

  unit(cursor: ChainCursor): AppliedUnit | undefined {
    return unitOf(this.reader, this.context.profile, cursor);
  }

  score(): bigint {
    return this.reader.get(tables.score, this.ledger.height) ?? 0n;
  }

  header(height: number): HeaderInfo | undefined {
    return this.blocks.header(height);
  }

  idAt(height: number): Uint8Array | undefined {
    return isHeight(height) ? this.reader.get(tables.headers, height)?.signature : undefined;
  }

  block(height: number): BlockInfo | undefined {
    return this.blocks.block(height);
  }

  blockById(id: Uint8Array): BlockInfo | undefined {
    const unit = this.reader.get(tables.blockIds, id);
    return unit && this.blocks.block(unit.height, this.sequenceOf(unit));
  }

  headerById(id: Uint8Array): HeaderInfo | undefined {
    const unit = this.reader.get(tables.blockIds, id);
    return unit && this.blocks.header(unit.height, this.sequenceOf(unit));
  }

  /** The micro block up to which an id counts; undefined for the whole block. */
  private sequenceOf({ height, sequence }: { readonly height: number; readonly sequence: number }) {
    const tip = this.reader.get(tables.tip, undefined);
    return tip?.height === height && sequence < tip.sequence ? sequence : undefined;
  }

  heightOf(id: Uint8Array): number | undefined {
    return this.reader.get(tables.blockIds, id)?.height;
  }

  revertedBlock(id: Uint8Array): RevertedBlockInfo | undefined {
    return revertedBlockOf(this.reader, this.blocks, id);
  }

  dueBlocks(window: number, limit: number): DueBlocks {
    const { reader, ledger, balances, context } = this;
    const balanceOf = (address: Uint8Array): bigint =>
      balances?.of(reader, ledger, address) ?? generatingBalance(ledger, address, ledger.height);
    return dueBlocksOf({ reader, ledger, balanceOf, ...context }, window, limit);
  }

  blockBytes(height: number): Uint8Array | undefined {
    return isHeight(height) ? storedBlockBytes(this.reader, height) : undefined;
  }

  heightsGeneratedBy(
    generator: Uint8Array,
    from: number,
    to: number,
    page?: ListPage<number>,
  ): readonly number[] {
    const first = Math.max(from, 1, (page?.after ?? 0) + 1);
    if (generator.length !== ADDRESS_LENGTH || to < first) return [];
    const range = { from: { address: generator, height: first }, to: { address: generator, height: to + 1 } };
    return pageOf(this.reader.range(tables.generatedBlocks, range), page).map(([{ height }]) => height);
  }

  lastPersistedIds(count: number): readonly Uint8Array[] {
    const ids: Uint8Array[] = [];
    for (let height = this.ledger.persistedHeight; height >= 1 && ids.length < count; height--) {
      const row = this.reader.get(tables.headers, height);
      if (row !== undefined) ids.push(row.signature);
    }
    return ids;
  }

  microBlockIds(): readonly Uint8Array[] {
    const { height, persistedHeight } = this.ledger;
    if (height === persistedHeight) return [];
    return Array.from(
      microBlockRows(this.reader, height),
      ([, { totalSignature }]) => totalSignature,
    ).reverse();
  }

  // ------------------------------------------------------------------------------------------ transactions

  transaction(id: Uint8Array): ChainTransaction | undefined {
    // The ids of genesis transactions are signatures. Nothing else is an id, and the look-up takes no other lengths.
    if (id.length !== 32 && id.length !== 64) return undefined;
    const found = findTransaction(this.reader, id);
    return found && this.blocks.transaction(found);
  }

  addressTransactions(address: Uint8Array, query: AddressTransactionsQuery): readonly ChainTransaction[] {
    const found: ChainTransaction[] = [];
    let skipped = 0;
    if (query.limit <= 0) return found;
    for (const place of nodeListOf(this.reader, address, query, this.context.indexAll)) {
      if (skipped++ < query.offset) continue;
      const transaction = this.blocks.transaction(place);
      if (transaction !== undefined) found.push(transaction);
      if (found.length >= query.limit) break;
    }
    return found;
  }

  newestTransactions(query: Parameters<ChainSnapshot["newestTransactions"]>[0]): NewestTransactions {
    return newestTransactionsOf(this.reader, this.blocks, this.ledger.height, query);
  }

  isLeaseActive(leaseId: Uint8Array): boolean {
    return this.ledger.lease(leaseId)?.active === true;
  }

  activeLeases(address: Uint8Array, page?: ListPage): readonly ChainTransaction[] {
    const leases = { types: LEASES, after: page?.after };
    const active = matching(nodeListOf(this.reader, address, leases, this.context.indexAll), (place) => {
      const recorded = recordedAt(this.reader, place);
      return recorded !== undefined && this.isLeaseActive(recorded.id);
    });
    return pageOf(active, page).flatMap((place) => this.blocks.transaction(place) ?? []);
  }

  minimumFee(transaction: Transaction): bigint | undefined {
    return minimumFee(transaction, eraAt(this.ledger, this.context.rules, this.ledger.height));
  }

  requestRefusal(transaction: Transaction): Refusal | undefined {
    return checkRequest(this.ledger, transaction);
  }

  // ---------------------------------------------------------------------------------------------- accounts

  account(address: Uint8Array): AccountInfo {
    const { balance, leaseIn, leaseOut, unbonding } = this.ledger.account(address);
    return { balance, leaseIn, leaseOut, unbonding };
  }

  balance(address: Uint8Array, confirmations: number): bigint {
    return balanceWithConfirmations(this.ledger, address, this.ledger.height, confirmations);
  }

  effectiveBalance(address: Uint8Array, confirmations: number): bigint {
    return effectiveBalanceWithConfirmations(this.ledger, address, this.ledger.height, confirmations);
  }

  generatingBalance(address: Uint8Array): bigint {
    if (this.balances !== undefined) return this.balances.persisted(this.reader, this.ledger, address);
    const { height, persistedHeight } = this.ledger;
    return persistedGeneratingBalance(this.ledger, address, height, persistedHeight);
  }

  balanceHistory(address: Uint8Array, page?: ListPage<number>): ReturnType<ChainSnapshot["balanceHistory"]> {
    const { persistedHeight } = this.ledger;
    const newest = page?.after === undefined ? persistedHeight : Math.min(page.after - 1, persistedHeight);
    return pageOf(balanceChanges(this.ledger.accountPoints(address, 0, newest)), page);
  }

  accountChanges(
    address: Uint8Array,
    page: Parameters<ChainSnapshot["accountChanges"]>[1],
  ): readonly AccountChange[] {
    return accountChangesOf(this.reader, this.ledger, address, page);
  }

  *distribution(height: number): Generator<{ readonly address: Uint8Array; readonly balance: bigint }> {
    if (height < 1) return;
    const at = Math.min(height, this.ledger.height);
    const liquid = at > this.ledger.persistedHeight;
    for (const [address, account] of this.reader.range(tables.accounts)) {
      for (const point of this.ledger.accountPoints(address, at, at)) {
        const { balance } = point.account;
        // Accounts that the liquid block changed are shown without anything too.
        if (balance > 0n || (liquid && account.changedAt === at)) yield { address, balance };
        break;
      }
    }
  }

  script(address: Uint8Array): Uint8Array | undefined {
    return this.ledger.script(address)?.script;
  }

  dataEntries(address: Uint8Array, page?: ListPage<string>): readonly DataEntry[] {
    return pageOf(this.ledger.dataEntries(address, page?.after), page).map(dataEntry);
  }

  dataEntry(address: Uint8Array, key: string): DataEntry | undefined {
    const entry = this.ledger.data(address, key);
    return entry && dataEntry(entry);
  }

  sponsors(address: Uint8Array): readonly Uint8Array[] {
    return this.ledger.sponsors(address);
  }

  sponsorCount(address: Uint8Array): number {
    return this.ledger.sponsorCount(address);
  }

  isSponsor(address: Uint8Array, sponsor: Uint8Array): boolean {
    return this.ledger.isSponsor(address, sponsor);
  }

  sponsored(address: Uint8Array, page: Parameters<ChainSnapshot["sponsored"]>[1]): SponsoredPage {
    const places = nodeListOf(this.reader, address, { types: SPONSORSHIPS, ...page }, this.context.indexAll);
    return sponsoredBy(address, places, page.limit, {
      transaction: (place) => this.blocks.transaction(place),
      isSponsor: (recipient, sponsor) => this.isSponsor(recipient, sponsor),
    });
  }

  /** What the rules about associations read. */
  private associationReader(): AssociationReader {
    const { ledger } = this;
    return {
      height: ledger.height,
      persistedHeight: ledger.persistedHeight,
      associations: ledger.associations.bind(ledger),
      blockFacts: ledger.blockFacts.bind(ledger),
      transaction: (id: Uint8Array) => this.transaction(id),
    };
  }

  associations(
    address: Uint8Array,
    page?: ListPage<AssociationPlace>,
  ): ReturnType<ChainSnapshot["associations"]> {
    const source = this.associationReader();
    const listed = (list: "outgoing" | "incoming"): readonly AssociationInfo[] =>
      associationsBehind(list, associationsOf(source, address, list), page?.after);
    const [outgoing, incoming] = pageOfBoth([listed("outgoing"), listed("incoming")], page);
    return { outgoing, incoming };
  }

  certificate(address: Uint8Array): Uint8Array | undefined {
    return this.ledger.certificate(address);
  }

  // ----------------------------------------------------------------------------------------------- network

  burned(height = this.ledger.height): bigint {
    return this.ledger.blockTotals(height)?.burned ?? 0n;
  }

  feeVotes(): FeeVoteInfo {
    const { rules } = this.context;
    const { height } = this.ledger;
    const period = rules.functionality.feeVoteBlocksPeriod;
    const price = feePriceAt(this.ledger, rules, height);
    const nextActivationHeight = height + period - (height % period);
    const { first } = windowOf(Math.max(height, 1), period);
    let votes = 0;
    for (let at = first; at <= height; at++) votes += this.ledger.blockFacts(at)?.feeVote ?? 0;
    return {
      price,
      votes,
      period,
      nextPrice: feePriceAt(this.ledger, rules, nextActivationHeight),
      nextActivationHeight,
    };
  }

  features(): readonly FeatureInfo[] {
    const { functionality } = this.context.rules;
    const { height } = this.ledger;
    const approved = this.approvals();
    const votes = new Map<number, number>();
    const { first } = windowOf(Math.max(height, 1), windowLength(functionality, height));
    for (let at = first; at <= height; at++) {
      for (const id of new Set(this.ledger.blockFacts(at)?.features)) votes.set(id, (votes.get(id) ?? 0) + 1);
    }
    const ids = new Set([...functionality.preActivatedFeatures.keys(), ...approved.keys(), ...votes.keys()]);
    return [...ids]
      .sort((a, b) => a - b)
      .map((id) => ({
        id,
        approvalHeight: approved.get(id)?.approved,
        activationHeight: functionality.preActivatedFeatures.get(id) ?? approved.get(id)?.activated,
        votes: votes.get(id) ?? 0,
      }));
  }

  approvedFeatures(): readonly number[] {
    return [...this.approvals().keys()];
  }

  /** Features approved by votes; those that the liquid block approves are visible already. Page 05 §23.1. */
  approvals(): ReadonlyMap<number, FeatureState> {
    const { height, persistedHeight } = this.ledger;
    if (height === persistedHeight) return this.ledger.features();
    const ahead = new StoredLedger(new Overlay(this.reader));
    persistBlock(ahead, this.context.rules);
    return ahead.features();
  }

  // ----------------------------------------------------------------------------------------------- indexes

  indexes(): readonly IndexProgress[] {
    return indexNames.map((name) => this.progressOf(name));
  }

  unready(names: readonly IndexName[]): IndexProgress | undefined {
    for (const name of names) {
      if (this.holds(name)) continue;
      const progress = this.progressOf(name);
      if (progress.wanted) return progress;
    }
    return undefined;
  }

  private progressOf(name: IndexName): IndexProgress {
    return indexProgress(name, this.indexState(name), this.ledger.height);
  }

  private indexState(name: IndexName): IndexState | undefined {
    if (!this.states.has(name)) this.states.set(name, indexState(this.reader, name));
    return this.states.get(name);
  }

  /** Whether an index holds all of the chain: as long as it does not, nothing of it is shown. */
  private holds(name: IndexName): boolean {
    return this.indexState(name)?.kind === "whole";
  }

  anchor(hash: Uint8Array): ReturnType<ChainSnapshot["anchor"]> {
    return this.holds("anchors") ? anchorOf(this.reader, hash) : undefined;
  }

  leaf(hash: Uint8Array): LeafProof | undefined {
    return this.context.leaves?.(hash);
  }

  mappedAnchors(key: Uint8Array): ReturnType<ChainSnapshot["mappedAnchors"]> {
    return this.holds("anchors") ? mappedAnchorsOf(this.reader, key) : [];
  }

  resolveDid(
    did: string,
    options: { readonly now: number; readonly versionTime?: string | undefined },
  ): ReturnType<ChainSnapshot["resolveDid"]> {
    const facts = identityFacts(this.reader, !this.holds("identities"));
    return resolveDid(facts, this.context.profile.networkName, { did, ...options });
  }

  identityVersions(did: string, now: number): ReturnType<ChainSnapshot["identityVersions"]> {
    const facts = identityFacts(this.reader, !this.holds("identities"));
    return identityVersions(facts, this.context.profile.networkName, did, now);
  }

  identityRecords(did: string, enough: number): number {
    return this.holds("identities") ? identityRecords(this.reader, did, enough) : 0;
  }

  answerDid(request: DidRequest): DidAnswer {
    const facts = identityFacts(this.reader, !this.holds("identities"));
    return answerDid(facts, this.context.profile.networkName, request);
  }

  credentialStatus(
    subject: Uint8Array,
    query: CredentialQuery,
  ): ReturnType<ChainSnapshot["credentialStatus"]> {
    if (!this.holds("credentials")) return { known: false, total: 0, statements: [], goesOn: false };
    const facts = identityFacts(this.reader, !this.holds("identities"));
    return credentialStatusOf(this.reader, this.blocks, facts, subject, query);
  }

  transactionGroups(): readonly string[] {
    return transactionGroups;
  }

  dayStatistics(from: number, to: number, group = "all"): ReturnType<ChainSnapshot["dayStatistics"]> {
    if (!this.holds("statistics")) return undefined;
    const { initialBalance } = this.context.profile.genesis;
    return daySumsOf(this.reader, from, to).map((sums) => ({
      ...sums,
      transactions: transactionsOfGroup(sums.transactions, group),
      supply: sums.height === 0 ? 0n : initialBalance - this.burned(sums.height),
    }));
  }

  forgedBetween(from: number, to: number): ReturnType<ChainSnapshot["forgedBetween"]> {
    return this.holds("statistics") ? forgedBetween(this.reader, from, to, this.ledger.height) : undefined;
  }

  forgers(): ReturnType<ChainSnapshot["forgers"]> {
    return this.holds("generators") ? forgersOf(this.reader) : [];
  }

  trustRoles(address: Uint8Array): ReturnType<ChainSnapshot["trustRoles"]> {
    return trustRolesOf(this.reader, this.context.trust, address);
  }

  roleGrants(address: Uint8Array): ReturnType<ChainSnapshot["roleGrants"]> {
    return roleGrantsOf(this.reader, address);
  }

  trustRoot(): Uint8Array | undefined {
    return this.context.trust.root;
  }

  roleHolders({ after, limit }: Parameters<ChainSnapshot["roleHolders"]>[0]): readonly RoleHolder[] {
    const holders: RoleHolder[] = [];
    if (!this.holds("trust")) return holders;
    for (const holder of roleHoldersOf(this.reader, after)) {
      if (holders.length >= limit) break;
      holders.push(holder);
    }
    return holders;
  }

  issuableRoles(address: Uint8Array, type: bigint): readonly string[] {
    return issuableRoles(this.reader, this.context.trust, address, type);
  }

  associatedAddresses(
    address: Uint8Array,
    page?: ListPage<AddressListPlace>,
  ): ReturnType<ChainSnapshot["associatedAddresses"]> {
    if (!this.holds("associations")) return { children: [], parents: [] };
    return associatedAddressesOf(this.reader, address, page);
  }

  groupTransactions(
    address: Uint8Array,
    group: string,
    page: ListPage,
  ): ReturnType<ChainSnapshot["groupTransactions"]> {
    if (!transactionGroups.includes(group)) return undefined;
    if (!this.holds("transactions")) return { total: 0, transactions: [] };
    const timestampOf = (height: number): bigint => this.ledger.blockFacts(height)?.timestamp ?? 0n;
    const { total, places } = groupPageOf(this.reader, address, group, page, {
      height: this.ledger.height,
      timestampOf,
    });
    const transactions = places.map((place) => this.blocks.transaction(place));
    return { total, transactions: transactions.filter((transaction) => transaction !== undefined) };
  }
}

const SPONSORSHIPS = definitions
  .filter(({ groups = [] }) => groups.includes("sponsor"))
  .map(({ type }) => type);
const LEASES = definitions.filter(({ lends }) => lends === true).map(({ type }) => type);

/** The type of an entry's value goes with its tag, which two separate members do not tell the compiler. */
function dataEntry(entry: DataState): DataEntry {
  return entry as DataEntry;
}
