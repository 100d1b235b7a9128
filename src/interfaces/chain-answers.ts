/** What is read of the chain: blocks, transactions, accounts and their lists. */
import type { DataEntry } from "../transactions/data-entry.ts";
import type { Transaction } from "../transactions/index.ts";

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

/** A unit that leaves the chain: its transactions are parsed each time that they are asked for, and not kept. */
export interface LeavingUnit extends AppliedUnit {
  readonly transactionCount: number;
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
