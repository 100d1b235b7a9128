/**
 * What the parts of the node ask of each other across the line of the design: the three interfaces that the
 * HTTP layer lives on (`ChainReader`, `ChainEvents`, `NodeControl`), and what is handed in from outside (`Clock`,
 * `Random`, `Transport`, `Hosts`, `Log`).
 *
 * `ChainReader` answers from one consistent snapshot and never asks the writer. `ChainEvents` says that the chain
 * changed, and no more. `NodeControl` is asynchronous: the node may be in another thread, or on another machine. What
 * goes through the latter two is plain data, so that it can be copied between threads.
 */
import type { JsonOut } from "./bytes/json.ts";
import type { PathStep } from "./chainpoint/merkle.ts";
import type { KeyType, PublicKey } from "./crypto/key-types.ts";
import type { ScriptVar } from "./script/index.ts";
import type { DataEntry } from "./transactions/data-entry.ts";
import type { RequestError, SentTransaction, Transaction, ValidationError } from "./transactions/index.ts";

// ------------------------------------------------------------------------------------------------ handed in

/** Cancels what `Clock.after` scheduled; calling it late or twice does nothing. */
export type Cancel = () => void;

/** The time, and the only way to wait. Tests hand in a virtual one. */
export interface Clock {
  /** Milliseconds since 1970-01-01 UTC: network time, where a time server is asked. Page 03 §8.6. */
  now(): number;
  /** The same as the machine's own clock shows it. */
  system(): number;
  /** Milliseconds since some moment, the same for all threads, as time passes: unlike `now`, nobody sets it. */
  monotonic(): number;
  /** Calls `task` once, `delayMs` from now (0: as soon as possible). */
  after(delayMs: number, task: () => void): Cancel;
}

/** Randomness. Tests hand in a seeded one; keys and passwords come from the operating system. */
export interface Random {
  bytes(length: number): Uint8Array;
}

/** One end of a connection to another program: bytes in order, in both directions. */
export interface Connection {
  /** The other side: its IP address, and the port that it talks from. */
  readonly host: string;
  readonly port: number;
  /** Bytes that came and that went so far. */
  readonly received: number;
  readonly sent: number;
  /**
   * Hands over what arrives. Nothing is read before this was called, nor while a promise given back is open: a taker
   * that is slow slows the other side down.
   */
  onData(take: (bytes: Uint8Array) => Promise<void> | void): void;
  /** Tells, once, that the connection has ended, whoever ended it; at once when it has already. */
  onClose(told: () => void): void;
  /**
   * Sends bytes, which are the connection's from now on. Whoever waits for the promise before the next call never has
   * more than one piece waiting for a slow other side.
   * @throws when the connection ends before the system has taken them
   */
  write(bytes: Uint8Array): Promise<void>;
  /** Ends the connection: what was not sent yet is lost. Calling it again does nothing. */
  close(): void;
}

/** A port that takes connections. */
export interface Listening {
  /** As it was taken: that of the system's choice where 0 was asked for. */
  readonly port: number;
  /** Takes no further connections; those that stand go on. */
  close(): Promise<void>;
}

/** The only way to other programs. Simulations hand in one that delays, splits and loses what is sent. */
export interface Transport {
  /**
   * Takes connections at an address and port (0: a free one).
   * @returns undefined where nothing can connect
   * @throws when the port cannot be had
   */
  listen(
    host: string,
    port: number,
    onConnection: (connection: Connection) => void,
  ): Promise<Listening | undefined>;
  /** Connects. @throws with the reason when there is no answer within `patienceMs`, or a refusal */
  dial(host: string, port: number, patienceMs: number): Promise<Connection>;
}

/** What the machine knows of names, and of itself. */
export interface Hosts {
  /** IP addresses of a host name. @throws when it is not found */
  resolve(name: string): Promise<readonly string[]>;
  /** IP addresses of the machine's own interfaces. */
  own(): readonly string[];
}

/** What a part reports while it works; the node's log stands behind it. */
export interface Log {
  debug(message: string, facts?: Record<string, unknown>): void;
  info(message: string, facts?: Record<string, unknown>): void;
  warn(message: string, facts?: Record<string, unknown>): void;
  error(message: string, facts?: Record<string, unknown>): void;
}

// ------------------------------------------------------------------------------------------- what is read

/** The header of a block on the chain. Page 03 §2.8, page 06 §5.5. */
export interface HeaderInfo {
  readonly height: number;
  /** Block id: the signature, of the liquid block that of its newest total. 64 bytes. */
  readonly id: Uint8Array;
  readonly version: number;
  readonly timestamp: bigint;
  readonly reference: Uint8Array;
  readonly baseTarget: bigint;
  readonly generationSignature: Uint8Array;
  readonly features: readonly number[];
  readonly feeVote: number;
  /** Public key (32 bytes) and address (26 bytes) of the generator. */
  readonly generatorKey: Uint8Array;
  readonly generator: Uint8Array;
  /** Length of the whole block in bytes, micro blocks included. */
  readonly size: number;
  readonly transactionCount: number;
}

/** A transaction on the chain, with what the block did with it. Page 06 §5.4. */
export interface ChainTransaction {
  readonly transaction: Transaction;
  readonly height: number;
  /** Place in the block, from 0. */
  readonly position: number;
  readonly effectiveFee: bigint;
  /** Who paid, when that was not the sender. */
  readonly effectiveSponsor?: Uint8Array | undefined;
}

/** A transaction of a unit of the chain, with what applying it gave. */
export interface StoredTransaction {
  readonly transaction: Transaction;
  readonly id: Uint8Array;
  /** Position in the whole block, from 0, micro blocks counted through. */
  readonly position: number;
  /** Fee really charged, in units. Page 05 §12.6. */
  readonly effectiveFee: bigint;
  /** Address that paid, when that was not the sender. */
  readonly effectiveSponsor?: Uint8Array | undefined;
}

/**
 * A place on a chain: a key block (`sequence` 0) or micro block (1, 2, ...), by the id of the block as it stood with
 * it. It stands for everything before it too, since ids do. Height 0: before the first block.
 */
export interface ChainCursor {
  readonly height: number;
  readonly sequence: number;
  readonly id: Uint8Array;
}

/** A key block or micro block that was applied. */
export interface AppliedUnit extends ChainCursor {
  /** Timestamp of the key block, ms. */
  readonly timestamp: bigint;
  /** Address of the generator, 26 bytes. */
  readonly generator: Uint8Array;
  /** The unit's own transactions, in block order. */
  readonly transactions: readonly StoredTransaction[];
}

/** How one chain became another one. */
export interface UnitChanges {
  /** Units that left the chain, newest first. */
  readonly reverted: readonly AppliedUnit[];
  /** Units that came to it, oldest first. */
  readonly committed: readonly AppliedUnit[];
}

/** What happened behind a cursor. */
export type ChangesSince =
  | (UnitChanges & {
      readonly kind: "changes";
      /** Where the chain stood when all that was reverted had left it: the cursor asked about where nothing was. */
      readonly ancestor: ChainCursor;
      /** From where to go on: the place that these changes lead to. */
      readonly cursor: ChainCursor;
      /** Whether that is the newest unit. */
      readonly complete: boolean;
    })
  /** The cursor's unit is not on the chain, and how it left it is no longer remembered: begin again from the start. */
  | { readonly kind: "out of reach" };

/** A whole block with the amounts of page 06 §5.6. */
export interface BlockInfo extends HeaderInfo {
  readonly transactions: readonly ChainTransaction[];
  readonly fee: bigint;
  readonly burnedFees: bigint;
  readonly miningReward: bigint;
  readonly generatorReward: bigint;
}

/** Balances of an account at the tip, liquid block included, in units. Page 05 §3. */
export interface AccountInfo {
  readonly balance: bigint;
  readonly leaseIn: bigint;
  readonly leaseOut: bigint;
  readonly unbonding: bigint;
}

/** An association in force. Page 05 §19, page 06 §7.14. */
export interface AssociationInfo {
  readonly sender: Uint8Array;
  readonly type: bigint;
  readonly recipient: Uint8Array;
  readonly subject?: Uint8Array | undefined;
  /** Time of the block (for the liquid block: that of the last persisted block + 1), ms. */
  readonly timestamp: bigint;
  readonly expires?: bigint | undefined;
  readonly data: readonly DataEntry[];
  /** Of the transaction from which on it is in force without a break. */
  readonly height: number;
  readonly position: number;
}

/** Where an association stands among those of an account: behind all outgoing ones come the incoming ones. */
export interface AssociationPlace {
  readonly list: "outgoing" | "incoming";
  readonly height: number;
  readonly position: number;
}

/** Where a transaction stands in a list: by height or by its timestamp first. */
export interface ListPlace {
  readonly height: number;
  readonly position: number;
  /** Of the transaction, ms. */
  readonly timestamp: bigint;
}

/** A part of a list. */
export interface ListPage<Place = ListPlace> {
  /** Only what stands behind this place, whether or not there is something at it; from the beginning unless given. */
  readonly after?: Place | undefined;
  /** So many of it are passed over. */
  readonly offset: number;
  readonly limit: number;
}

/** Which transactions of an address. Page 06 §7.5. */
export interface AddressTransactionsQuery extends ListPage {
  /** Transaction type ids; empty: all. */
  readonly types: readonly number[];
}

/** A key block (`sequence` 0) or micro block: where a walk through the chain stands. */
export interface UnitPosition {
  readonly height: number;
  readonly sequence: number;
}

/** An account as a unit of the chain left it. */
export interface AccountChange extends AccountInfo, UnitPosition {
  /** Id of its block, as that stands now. */
  readonly id: Uint8Array;
  /** Of the key block, ms. */
  readonly timestamp: bigint;
  /** Whether the account generated the block. */
  readonly forged: boolean;
  /** Ids of the unit's transactions that list the account: the first of them, and how many there are. */
  readonly transactions: readonly Uint8Array[];
  readonly transactionCount: number;
}

/** Transactions of the chain, newest first. */
export interface NewestTransactions {
  readonly transactions: readonly ChainTransaction[];
  /** Where the walk ended; undefined: at the first block. */
  readonly end: Pick<ListPlace, "height" | "position"> | undefined;
}

/** A block that left the chain, and what stands in its place. */
export interface RevertedBlockInfo {
  /** As the block stood with the unit of this id. */
  readonly header: HeaderInfo;
  /** Whether the id is that of a micro block's total. */
  readonly isMicroBlock: boolean;
  /** Whether it has come back since: nothing is in its place. */
  readonly isOnChain: boolean;
  /** The block at its height now; undefined: there is none. */
  readonly replacedBy: HeaderInfo | undefined;
  /** Whether that is the same key block, with other micro blocks. */
  readonly keepsKeyBlock: boolean;
}

/** Who may forge upon the newest block. Page 03 §8. */
export interface DueForger {
  readonly address: Uint8Array;
  /** Of the newest blocks, those that it generated. */
  readonly blocks: number;
  /** For a child of the newest block, in 10^-8 tokens. */
  readonly generatingBalance: bigint;
  /** When its block may come at the earliest, ms; undefined: it may make none. */
  readonly due: bigint | undefined;
}

/** The next blocks, by those who forged of late. */
export interface DueBlocks {
  /** Of the newest block, upon which they stand. */
  readonly height: number;
  readonly timestamp: bigint;
  /** How many of the newest blocks were looked at. */
  readonly window: number;
  readonly forgers: readonly DueForger[];
}

/** An account that was given roles, and holds them still. */
export interface RoleHolder {
  readonly address: Uint8Array;
  readonly grants: readonly RoleGrant[];
}

/** Accounts whose fees an account pays. */
export interface SponsoredPage {
  readonly sponsored: readonly { readonly address: Uint8Array; readonly since: ChainTransaction }[];
  /** Where the walk through its sponsorships ended; undefined: there are no others. */
  readonly end: ListPlace | undefined;
}

/** Where an address stands in the lists of those that are tied to another one. */
export interface AddressListPlace {
  readonly list: "children" | "parents";
  readonly address: Uint8Array;
}

/** Where a hash was anchored first. Page 07 §7.1. */
export interface AnchorInfo {
  readonly transactionId: Uint8Array;
  readonly height: number;
  readonly position: number;
}

/** What a hash is proved by that is a leaf of a tree of this node: the tree's root, and the way there. */
export interface LeafProof {
  readonly root: Uint8Array;
  readonly path: readonly PathStep[];
}

/** A (key, value) pair of a mapped anchor. Page 07 §7.7. */
export interface MappedAnchorInfo extends AnchorInfo {
  readonly value: Uint8Array;
  readonly sender: Uint8Array;
}

/** Voting figures of one feature. Page 06 §7.17. */
export interface FeatureInfo {
  readonly id: number;
  readonly approvalHeight?: number | undefined;
  readonly activationHeight?: number | undefined;
  /** Blocks of the current window that vote for it. */
  readonly votes: number;
}

/** Figures of fee price voting at the tip. Page 06 §7.4. */
export interface FeeVoteInfo {
  readonly price: bigint;
  readonly votes: number;
  readonly period: number;
  readonly nextPrice: bigint;
  readonly nextActivationHeight: number;
}

/** Roles of an address in the trust network. Page 07 §9.2. */
export interface TrustRoles {
  readonly roles: readonly string[];
  readonly issuesRoles: readonly { readonly type: bigint; readonly role: string }[];
  readonly issuesAuthorization: readonly string[];
}

/** A role that an account was given, by whom, and by which association type. Page 07 §9.3. */
export interface RoleGrant {
  readonly role: string;
  readonly sender: Uint8Array;
  readonly type: bigint;
}

/** Answer of DID resolution; the HTTP layer chooses between document and resolution form. Page 07 §8.8. */
export interface DidResolution {
  readonly didDocument: JsonOut;
  readonly didDocumentMetadata: JsonOut;
  readonly didResolutionMetadata: JsonOut;
  /** Status of the resolution form: 200, 400 or 404. */
  readonly status: number;
  /** The document form is answered with 200 and `didDocument`; otherwise with this error name and 404 or 400. */
  readonly documentError?: { readonly status: number; readonly error: string } | undefined;
  /** Stays as it is for as long as the chain does: nothing that is known of the identity begins or ends later. */
  readonly lasting?: true;
}

/** What the strict form is asked for. DID Resolution 1.0, sections 4 and 5. */
export interface DidRequest {
  /** An address, a DID, or a DID URL. */
  readonly did: string;
  /** DID parameters and options that came beside it, in order. */
  readonly parameters: readonly (readonly [name: string, value: string])[];
  /** Whether a DID URL may be dereferenced; else only a DID is resolved. */
  readonly dereferences: boolean;
  /** The caller's clock, ms. */
  readonly now: number;
}

/** The versions of a DID document. */
export interface IdentityVersions {
  readonly id: string;
  readonly times: readonly bigint[];
}

/** What keeps a DID from being resolved, by the names of DID Core 1.0 and DID Resolution. */
export type DidErrorName =
  | "invalidDid"
  | "invalidDidUrl"
  | "invalidOptions"
  | "notFound"
  | "representationNotSupported"
  | "methodNotSupported"
  | "featureNotSupported";

/** Answer in the strict form. */
export interface DidAnswer {
  readonly error?: { readonly name: DidErrorName; readonly text: string } | undefined;
  /** The document or a part of it; null for none. */
  readonly content: JsonOut;
  /** Metadata of the document; empty for a part, and when there is none. */
  readonly metadata: JsonOut;
  readonly isDeactivated: boolean;
}

/**
 * The indexes beside the lists that routes of the node read. An operator may switch them (page 07 §4.2), but for `keys`
 * and `trust`.
 */
export type IndexName =
  | "transactions"
  | "anchors"
  | "associations"
  | "identities"
  | "trust"
  | "keys"
  | "credentials"
  | "statistics"
  | "generators";

/** How far an index is. */
export interface IndexProgress {
  readonly name: IndexName;
  /**
   * `ready`: it holds what the chain says; `building`: it is being made from the stored blocks; `clearing`: what it held
   * is removed, because it was switched off or has to be made anew; `off`.
   */
  readonly state: "ready" | "building" | "clearing" | "off";
  /** Whether it will be ready in the end: not when it was switched off. */
  readonly wanted: boolean;
  /** Height up to which it is made. */
  readonly height: number;
}

/** A statement about a credential. Page 07 §11. */
export interface CredentialStatementInfo {
  /** `issue`, `revoke`, `suspend`, `reinstate`, `dispute` or `acknowledge`. */
  readonly name: string;
  /** Of the transaction, ms. */
  readonly timestamp: bigint;
  /** Address. */
  readonly signer: Uint8Array;
  readonly signerKey: PublicKey;
  /** Name of the key's type in DID documents. */
  readonly methodType: string;
  readonly data: readonly DataEntry[];
  readonly height: number;
  readonly position: number;
}

/** Which statements are asked for. */
export interface CredentialQuery extends ListPage {
  /** Only those that count for this account; null: for one that nobody may speak for; undefined: all. */
  readonly issuer?: Uint8Array | null | undefined;
}

/** What is stated about a credential; the times are ms. */
export interface CredentialStatusInfo {
  /** Whether anything was ever stated about it, by whomever. */
  readonly known: boolean;
  /** How many of the statements count. */
  readonly total: number;
  /** Of these, a page, oldest first: fewer than were asked for where they are large. */
  readonly statements: readonly CredentialStatementInfo[];
  /** Whether something stands behind the page. */
  readonly goesOn: boolean;
  readonly issued?: bigint | undefined;
  readonly suspended?: bigint | undefined;
  readonly revoked?: bigint | undefined;
}

/** What the blocks of a day come to; amounts in 10^-8 tokens. Page 07 §13. */
export interface DayStatistics {
  readonly blocks: number;
  readonly operations: number;
  /** Of the group that was asked for. */
  readonly transactions: number;
  readonly leaseIn: bigint;
  readonly leaseOut: bigint;
  /** How much there was, and how much of it was lent, behind the last block up to then; 0 before the chain began. */
  readonly supply: bigint;
  readonly leased: bigint;
}

/** What an account forged within some time. */
export interface ForgerInfo {
  readonly address: Uint8Array;
  readonly blocks: number;
  /** In 10^-8 tokens. */
  readonly reward: bigint;
}

/**
 * One consistent view of chain, state and indexes. "Height" counts the liquid block (page 06 §1).
 * Nothing here throws for unknown addresses, ids or heights: the answer is zero, empty or undefined.
 */
export interface ChainSnapshot {
  // --- chain
  height(): number;
  /** Height of the last persisted block: `height()`, or one less while the tip is liquid. */
  persistedHeight(): number;
  /** The newest unit of the chain. */
  tip(): ChainCursor;
  /**
   * A name of the whole state: snapshots with the same name answer alike, whatever happened in between. What is made
   * from a snapshot may be kept under it.
   */
  state(): string;
  /**
   * What happened to the chain since it ended at a cursor: for those who follow it at their own pace. The reverted
   * units come first; those that were reverted and came again are not mentioned.
   * @param limit at most so many units, at least 1
   * @param enough behind the unit that brings the transactions to so many there is no other one; no bound unless given
   */
  changesSince(cursor: ChainCursor, limit: number, enough?: number): ChangesSince;
  /** A unit that is on the chain, or that left it and is remembered. */
  unit(cursor: ChainCursor): AppliedUnit | undefined;
  /** Chain score: sum of 2^64 / base target over all blocks, the liquid one included. */
  score(): bigint;
  header(height: number): HeaderInfo | undefined;
  /** Id of the block at a height, of the liquid one as it stands: less to read than its header. */
  idAt(height: number): Uint8Array | undefined;
  block(height: number): BlockInfo | undefined;
  /** A block by id; a micro block total gives the block as it was at that micro block. Page 06 §7.3. */
  blockById(id: Uint8Array): BlockInfo | undefined;
  headerById(id: Uint8Array): HeaderInfo | undefined;
  /** Height of a block id, ids of the liquid block and of its totals included. */
  heightOf(id: Uint8Array): number | undefined;
  /** A block that left the chain and is remembered; by the id of one of its micro blocks, as it was then. */
  revertedBlock(id: Uint8Array): RevertedBlockInfo | undefined;
  /**
   * When those who forged of late may make the next block, the soonest first; at most `limit` of them, and of so many
   * newest blocks.
   */
  dueBlocks(window: number, limit: number): DueBlocks;
  /** Whole block in bytes, as peers send it. */
  blockBytes(height: number): Uint8Array | undefined;
  /** Heights of blocks generated by an address, ascending, both ends included; all of them unless a page is asked for. */
  heightsGeneratedBy(
    generator: Uint8Array,
    from: number,
    to: number,
    page?: ListPage<number>,
  ): readonly number[];
  /** Ids of the newest persisted blocks, newest first. Page 06 §7.16 historyInfo. */
  lastPersistedIds(count: number): readonly Uint8Array[];
  /** Ids (totals) of the micro blocks of the liquid block, newest first. */
  microBlockIds(): readonly Uint8Array[];

  // --- transactions
  transaction(id: Uint8Array): ChainTransaction | undefined;
  /** Newest first, plain paging; which transactions are listed: page 06 §7.5. */
  addressTransactions(address: Uint8Array, query: AddressTransactionsQuery): readonly ChainTransaction[];
  /**
   * Transactions of the chain, newest first. A walk that finds few ends behind a number of blocks and transactions.
   * @param types transaction type ids; empty: all
   * @param after only what stands before this place
   */
  newestTransactions(query: {
    readonly types: readonly number[];
    readonly after?: Pick<ListPlace, "height" | "position"> | undefined;
    readonly limit: number;
  }): NewestTransactions;
  isLeaseActive(leaseId: Uint8Array): boolean;
  /** Newest first; all of them unless a page is asked for. */
  activeLeases(address: Uint8Array, page?: ListPage): readonly ChainTransaction[];
  /** Minimum fee at the current height, in units; undefined for a type without a rule there. Page 05 §12. */
  minimumFee(transaction: Transaction): bigint | undefined;
  /** Why a request with this transaction is refused before the pool sees it. Page 05 §22.4. */
  requestRefusal(transaction: Transaction): ValidationError | undefined;

  // --- accounts
  account(address: Uint8Array): AccountInfo;
  /** Minimum regular / effective balance over the last heights. Page 05 §21.3. */
  balance(address: Uint8Array, confirmations: number): bigint;
  effectiveBalance(address: Uint8Array, confirmations: number): bigint;
  /** Without the liquid block. Page 05 §21.4. */
  generatingBalance(address: Uint8Array): bigint;
  /** Persisted blocks only, newest first; the place is a height. Page 05 §21.5. */
  balanceHistory(
    address: Uint8Array,
    page?: ListPage<number>,
  ): readonly { readonly height: number; readonly balance: bigint }[];
  /**
   * How an account changed, newest first, the liquid block included.
   * @param before only what units before this one did
   */
  accountChanges(
    address: Uint8Array,
    page: { readonly before?: UnitPosition | undefined; readonly limit: number; readonly ids: number },
  ): readonly AccountChange[];
  /** Regular balances above zero at a height. Page 05 §21.5. */
  distribution(height: number): Iterable<{ readonly address: Uint8Array; readonly balance: bigint }>;
  /** Serialised script of the account. */
  script(address: Uint8Array): Uint8Array | undefined;
  /** Sorted by key in UTF-16 code unit order; the place is a key. */
  dataEntries(address: Uint8Array, page?: ListPage<string>): readonly DataEntry[];
  dataEntry(address: Uint8Array, key: string): DataEntry | undefined;
  /** Sponsors of an account, newest (first to pay) first. */
  sponsors(address: Uint8Array): readonly Uint8Array[];
  /** Accounts that an account sponsors, by its sponsorships from the newest on; a walk that finds few ends early. */
  sponsored(
    address: Uint8Array,
    page: { readonly after?: ListPlace | undefined; readonly limit: number },
  ): SponsoredPage;
  /** Those in force, each list in the order of the chain; all of them unless a page of both is asked for. */
  associations(
    address: Uint8Array,
    page?: ListPage<AssociationPlace>,
  ): {
    readonly outgoing: readonly AssociationInfo[];
    readonly incoming: readonly AssociationInfo[];
  };
  /** DER bytes. */
  certificate(address: Uint8Array): Uint8Array | undefined;

  // --- network
  /** Burned so far at a height (default: the tip); 0 for height 0. */
  burned(height?: number): bigint;
  feeVotes(): FeeVoteInfo;
  features(): readonly FeatureInfo[];
  /** Ids of the features that votes have approved: `features` without counting those of the current window. */
  approvedFeatures(): readonly number[];

  // --- indexes: one that is switched off answers as if it had found nothing
  /** How far each index is. */
  indexes(): readonly IndexProgress[];
  /** The first of these that is switched on and does not hold all of the chain yet. */
  unready(names: readonly IndexName[]): IndexProgress | undefined;
  anchor(hash: Uint8Array): AnchorInfo | undefined;
  /**
   * The tree of this node that has a hash as a leaf, whatever became of its root. Not of the chain, but this node's own
   * knowledge: it is there before its root is sent, and stays.
   */
  leaf(hash: Uint8Array): LeafProof | undefined;
  /** Newest first. */
  mappedAnchors(key: Uint8Array): Iterable<MappedAnchorInfo>;
  /**
   * Resolves an address or `did:<method>:<address>[:derived:<secret>]` at a time in ms. Page 07 §8.
   * @param versionTime undefined: now (as given by the caller's clock in `now`)
   */
  resolveDid(
    did: string,
    options: { readonly now: number; readonly versionTime?: string | undefined },
  ): DidResolution;
  /**
   * When each version of the document of a DID or address began, ms, ascending, up to a time; or why there are none.
   * @param now the caller's clock, ms
   */
  identityVersions(did: string, now: number): IdentityVersions | "invalidDid" | "notFound";
  /** How many statements about methods and services there are of what a DID or address names, counted up to `enough`. */
  identityRecords(did: string, enough: number): number;
  /** Resolves a DID, or dereferences a DID URL, in the strict form. */
  answerDid(request: DidRequest): DidAnswer;
  trustRoles(address: Uint8Array): TrustRoles;
  /** What an account was given and holds still, whatever the configuration says of it. */
  roleGrants(address: Uint8Array): readonly RoleGrant[];
  /** The account at the root of the trust network; undefined: nobody. Page 07 §9.1. */
  trustRoot(): Uint8Array | undefined;
  /** Who holds roles that were given, in the order of the addresses' bytes. @param after only addresses behind this one */
  roleHolders(page: {
    readonly after?: Uint8Array | undefined;
    readonly limit: number;
  }): readonly RoleHolder[];
  /** Names of the roles that an account may give, and take away, by an association type. Page 07 §9.3, §9.4. */
  issuableRoles(address: Uint8Array, type: bigint): readonly string[];
  /** @param subject id of the credential */
  credentialStatus(subject: Uint8Array, query: CredentialQuery): CredentialStatusInfo;
  /** Names of the groups of transactions. Page 07 §12.1. */
  transactionGroups(): readonly string[];
  /**
   * Each day from one to another, both included; undefined without these sums.
   * @param from days since 1970-01-01 UTC
   * @param group which transactions are counted; all unless it is given
   */
  dayStatistics(from: number, to: number, group?: string): readonly DayStatistics[] | undefined;
  /** Who forged from one day to another, both included, in the order of the addresses' bytes; undefined without these sums. */
  forgedBetween(from: number, to: number): readonly ForgerInfo[] | undefined;
  /** Who ever forged, with what it was among the newest blocks (page 07 §13.6), in the order of the addresses' bytes. */
  forgers(): Iterable<ForgerInfo>;
  /** Pairs of addresses of page 07 §10, ascending; all of them unless a page of both lists is asked for, children first. */
  associatedAddresses(
    address: Uint8Array,
    page?: ListPage<AddressListPlace>,
  ): {
    readonly children: readonly Uint8Array[];
    readonly parents: readonly Uint8Array[];
  };
  /**
   * Transactions of a group by address, newest timestamp first, with their total number; undefined for a group
   * that does not exist. Page 07 §12.
   */
  groupTransactions(
    address: Uint8Array,
    group: string,
    page: ListPage,
  ): { readonly total: number; readonly transactions: readonly ChainTransaction[] } | undefined;
}

/** Reads the chain. A snapshot is open only while `read` runs: keep nothing of it. */
export interface ChainReader {
  /** Reads that follow each other at once may see the same state; none is older than that of the last `renew`. */
  read<T>(reading: (chain: ChainSnapshot) => T): T;
  /** What is read from now on was committed by now, at least. */
  renew(): void;
}

/**
 * Says that the chain changed, in this thread or in another one than the writer's. What changed is asked of a snapshot
 * (`changesSince`): who misses a call, or was away, loses nothing.
 */
export interface ChainEvents {
  /**
   * Calls `listener` after each commit, with the newest unit. A snapshot that is taken then holds it, or a later one.
   * @returns how to stop it
   */
  onCommit(listener: (tip: ChainCursor) => void): () => void;
}

// ------------------------------------------------------------------------------------- what the node is asked

/** An account of the node's wallet, without its secret. */
export interface WalletAccount {
  readonly address: Uint8Array;
  readonly keyType: KeyType;
  readonly publicKey: Uint8Array;
}

/**
 * Why the node did not do what it was asked, as plain data. What a client is told stands in `api/http/errors.ts`.
 * Faults of the node are no failures: the call rejects.
 */
export type ControlFailure =
  /** Too much waits to be done already. */
  | { readonly kind: "busy" }
  /** The disk does not take what is written at the moment. */
  | { readonly kind: "disk-fault" }
  /** Its turn came when nobody waited for it any more; nothing was done. */
  | { readonly kind: "late" }
  /** What was sent is no transaction. */
  | { readonly kind: "no-transaction"; readonly error: RequestError }
  /** Ledger or pool refuse a transaction. Page 05 §27. */
  | {
      readonly kind: "refused";
      readonly error: ValidationError;
      /** Present exactly when the check against the state failed: the transaction, and what its script had to say. */
      readonly state?: { readonly transaction: SentTransaction; readonly script?: ScriptRefusal } | undefined;
    }
  /** The account is not in the wallet. Page 01 §9.5, as the next two. */
  | { readonly kind: "not-in-wallet" }
  /** The wallet holds a single account and can have no other. */
  | { readonly kind: "account-based-wallet" }
  /** The next account of the wallet's seed is there already. */
  | { readonly kind: "account-exists" }
  /** A rollback would have to undo this height, to which the journal does not reach back. */
  | { readonly kind: "journal-pruned"; readonly height: number }
  /** With the protocol's text. Page 03 §15. */
  | { readonly kind: "checkpoint-refused"; readonly text: string }
  /** It talks to no other nodes. */
  | { readonly kind: "no-peers" }
  /** That is no host, or one that nobody knows. */
  | { readonly kind: "unknown-host" }
  /** As many hashes wait to be anchored as may. */
  | { readonly kind: "anchors-full" };

/** What the refusal by an account's script carries: the script as text, and its variables. Page 08 §9, §17.4. */
export interface ScriptRefusal {
  readonly script: string;
  readonly vars: readonly ScriptVar[];
}

/** Outcome of something asked of the node. */
export type Outcome<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly failure: ControlFailure };

/** A part of the pool. */
export interface PoolPage {
  /** Full bytes of transactions in pool order, one behind the other. */
  readonly bytes: Uint8Array;
  /** Where each of them ends in `bytes`. */
  readonly ends: readonly number[];
  /** Names the place behind this page; undefined when nothing stands there. */
  readonly next: Uint8Array | undefined;
}

/** Transactions that came to the pool, in the order in which they came. */
export interface PoolNews {
  /** Their full bytes, one behind the other, and where each of them ends. */
  readonly bytes: Uint8Array;
  readonly ends: readonly number[];
  /** How many came before these and are forgotten, since so many came. */
  readonly missed: number;
  /** Names the place behind these. */
  readonly next: number;
}

/** What an account of the wallet forges with, and when. Page 06 §7.16. */
export interface MinerInfo {
  readonly address: Uint8Array;
  readonly miningBalance: bigint;
  /** When the next block of the account is due, ms. */
  readonly timestamp: number;
}

/** How the node votes on the fee price. Page 03 §7. */
export type FeeVote = "DECREASE" | "MAINTAIN" | "INCREASE";

/** Where another node is: an IP address or a name, and a port. */
export interface HostAndPort {
  readonly host: string;
  readonly port: number;
}

/** Another node that was reached, or that the operator named. */
export interface KnownPeerInfo extends HostAndPort {
  /** ms; 2^63 - 1 for one that the operator named. Page 04 §22. */
  readonly lastSeen: bigint;
}

/** Another node that is connected: from where it talks, and what it says of itself. Page 04 §5. */
export interface ConnectedPeerInfo extends HostAndPort {
  readonly declaredAddress: HostAndPort | undefined;
  /** Whatever it likes: at most 127 bytes. */
  readonly name: string;
  readonly nonce: bigint;
  readonly applicationName: string;
  readonly version: readonly number[];
  /** Whether it was the other side that dialled. */
  readonly inbound: boolean;
  /** For how long it is connected, ms. */
  readonly connectedMs: number;
  /** Bytes of the connection so far. */
  readonly received: number;
  readonly sent: number;
  /** Score of its chain as it told it last; undefined: it did not yet. */
  readonly score: bigint | undefined;
}

/** A host that is not dialled, since when (ms). */
export interface SuspendedHostInfo {
  readonly host: string;
  readonly since: number;
}

/** A host that is banned, since when (ms), and what for: at most some 2000 characters. */
export interface BannedHostInfo extends SuspendedHostInfo {
  readonly reason: string;
}

/** A hash that was taken to be anchored, and is not below the reach of rollbacks yet. */
export interface QueuedAnchor {
  /** When it was taken, ms; undefined for one that is in a tree. */
  readonly since: number | undefined;
  /** The transaction that was made for it, or for the root of its tree; undefined: there is none yet. */
  readonly transactionId: Uint8Array | undefined;
}

/** What waits to be anchored. */
export interface AnchorQueueInfo {
  readonly mode: "off" | "batch" | "merkle";
  /** Jobs without a transaction: hashes, roots of trees and sponsorships for roles. */
  readonly waiting: number;
  readonly limit: number;
  /** When the oldest of them came, ms. */
  readonly oldest: number | undefined;
  /** Transactions that were sent, the oldest of them: where they are, the chain says. */
  readonly sent: readonly { readonly transactionId: Uint8Array; readonly count: number }[];
  readonly sentCount: number;
  /** Why nothing is sent, and since when (ms). */
  readonly problem: { readonly text: string; readonly since: number } | undefined;
}

/** How far this node is behind others, and how fast it catches up. */
export interface SyncInfo {
  /** Nodes that are connected. */
  readonly peers: number;
  /** Where the chain of the node ends that says to be ahead the most, about; undefined: nobody says to be. */
  readonly targetHeight: number | undefined;
  /** Over the last half minute. */
  readonly blocksPerSecond: number;
  readonly transactionsPerSecond: number;
  /** Until the target is reached, by the rate of now; undefined while nothing is known of it. */
  readonly secondsLeft: number | undefined;
}

/** One chain that took the place of another one, key blocks and all. */
export interface Reorganisation {
  /** When, ms. */
  readonly at: number;
  /** Height up to which both chains were the same. */
  readonly commonHeight: number;
  /** Blocks that left the chain, and those that came in their place: how many, and the ids of the lowest. */
  readonly revertedCount: number;
  readonly reverted: readonly Uint8Array[];
  readonly committedCount: number;
  readonly committed: readonly Uint8Array[];
}

/** The reorganisations since the node started: how many, and the newest of them, newest first. */
export interface Reorganisations {
  readonly since: number;
  readonly count: number;
  readonly newest: readonly Reorganisation[];
}

/** What the node takes of the machine; undefined is what nobody knows. */
export interface Resources {
  /** Bytes of the process in memory. */
  readonly memory: number | undefined;
  /** Bytes of the chain's store, and what is free and there at all where it lies. */
  readonly store: number | undefined;
  readonly diskFree: number | undefined;
  readonly diskTotal: number | undefined;
}

/** How the node is. */
export interface NodeHealth {
  /** When it was started, ms. */
  readonly startedAt: number;
  /** Whether it forges: `waiting` is one that is to, and cannot at the moment. */
  readonly forging: "off" | "on" | "waiting";
  /** Whether the disk takes what is written. */
  readonly diskFault: boolean;
  /** Whether it has other nodes to talk to, by its configuration or from before. */
  readonly knowsPeers: boolean;
}

/** What the parts that talk to other nodes are at, by the names of page 06 §7.16. */
export interface PeerParts {
  readonly extensionLoader: string;
  readonly historyReplier: { readonly blocks: number; readonly microBlocks: number };
  readonly microBlockSynchronizer: {
    readonly microBlockOwners: number;
    readonly nextInvs: number;
    readonly awaiting: number;
    readonly successfullyReceived: number;
  };
  /** The connection whose score is the best. */
  readonly bestChannel: string | undefined;
  /** Connections whose scores are known. */
  readonly scores: number;
}

/**
 * What the node is asked to do, or asked about what is not in its store. Whatever goes in and comes out is plain data;
 * transactions are bytes. A call takes a bounded piece of the node's time, however much the pool holds.
 */
export interface NodeControl {
  /**
   * Validates against the liquid state and puts into the pool. Page 05 §24.2; `added` is false for a known one.
   * @param deadline by the node's monotonic clock, ms: behind it the transaction is not judged, and fails as `late`
   */
  broadcast(transaction: SentTransaction, deadline?: number): Promise<Outcome<{ readonly added: boolean }>>;
  /**
   * A page of the pool, in its order (page 05 §24.4). Going on from page to page gives each transaction that is there
   * the whole time exactly once; of what comes or goes meanwhile, any part.
   * @param after `next` of the page before; the first page unless given
   */
  unconfirmed(after?: Uint8Array): Promise<PoolPage>;
  unconfirmedSize(): Promise<number>;
  /**
   * What comes to the pool behind a place: answered when there is something, and with nothing after some seconds. The
   * pool keeps it for those that ask again and again.
   * @param after `next` of the answer before; from now on unless given
   */
  poolNews(after?: number): Promise<PoolNews>;
  unconfirmedById(id: Uint8Array): Promise<Uint8Array | undefined>;
  /** Oldest pool transaction that anchors this hash (types 15 and 22 values). Page 07 §18.3. */
  unconfirmedAnchor(hash: Uint8Array): Promise<Uint8Array | undefined>;
  /** Pessimistic effect of the pool on an account, to be added to the chain's figures. Page 05 §24.6. */
  poolEffect(address: Uint8Array): Promise<AccountInfo>;

  /** In the order of page 01 §13 (hash-trie order). */
  walletAccounts(): Promise<readonly WalletAccount[]>;
  /** The account that was made first, unless one is configured for anchoring. */
  anchorAccount(): Promise<WalletAccount | undefined>;
  /**
   * Takes a hash that is to be anchored with others; it is on the disk when this resolves, and not taken otherwise. The
   * same hash twice is taken once.
   */
  queueAnchor(hash: Uint8Array): Promise<Outcome<void>>;
  /** What became of a hash that was taken. */
  queuedAnchor(hash: Uint8Array): Promise<QueuedAnchor | undefined>;
  /** Undefined: nothing is gathered here. @param limit of transactions that were sent */
  anchorQueue(limit: number): Promise<AnchorQueueInfo | undefined>;
  /** Signs with a wallet account. */
  sign(address: Uint8Array, message: Uint8Array): Promise<Outcome<Uint8Array>>;
  /** @param deadline by the node's monotonic clock, ms, as in the next: behind it nothing is done, and the call fails as `late` */
  createAccount(deadline?: number): Promise<Outcome<Uint8Array>>;
  deleteAccount(address: Uint8Array, deadline?: number): Promise<Outcome<boolean>>;

  minerInfo(): Promise<readonly MinerInfo[]>;
  /** `mining blocks`, `mining microblocks`, `disabled` or `error: ...`. Page 06 §7.16. */
  minerState(): Promise<string>;
  feeVote(): Promise<FeeVote>;
  setFeeVote(vote: FeeVote): Promise<void>;
  /** Ids of the features this node votes for. */
  supportedFeatures(): Promise<readonly number[]>;

  /**
   * Removes all blocks above the height; the id rolled back to, or undefined when there is no such block.
   * @param deadline by the node's monotonic clock, ms, as in the next two: behind it nothing is changed, and the call
   *   fails as `late`
   */
  rollback(
    height: number,
    returnTransactions: boolean,
    deadline?: number,
  ): Promise<Outcome<Uint8Array | undefined>>;
  rollbackTo(id: Uint8Array, deadline?: number): Promise<Outcome<Uint8Array>>;
  /** Page 03 §15. */
  applyCheckpoint(
    checkpoint: {
      readonly items: readonly { readonly height: number; readonly id: Uint8Array }[];
      readonly signature: Uint8Array;
    },
    deadline?: number,
  ): Promise<Outcome<void>>;

  /** The first of the nodes that are known and not banned. */
  knownPeers(limit: number): Promise<readonly KnownPeerInfo[]>;
  connectedPeers(): Promise<readonly ConnectedPeerInfo[]>;
  bannedPeers(limit: number): Promise<readonly BannedHostInfo[]>;
  suspendedPeers(limit: number): Promise<readonly SuspendedHostInfo[]>;
  /** Begins to connect to a node, whether or not it is banned; what comes of it is in the log. Page 04 §22. */
  connectToPeer(peer: HostAndPort): Promise<Outcome<void>>;
  /** Lets all banned nodes come again. */
  clearBans(): Promise<void>;
  /** Bans the hosts of a name or address that are connected, and ends their connections. Page 06 §7.16. */
  banPeers(host: string, reason: string): Promise<Outcome<void>>;
  /** Undefined: it talks to no other nodes. */
  syncInfo(): Promise<SyncInfo | undefined>;
  peerParts(): Promise<PeerParts | undefined>;
  reorganisations(): Promise<Reorganisations>;
  health(): Promise<NodeHealth>;
  resources(): Promise<Resources>;

  /** Ends the node after the answer was sent. */
  stop(): Promise<void>;
}
