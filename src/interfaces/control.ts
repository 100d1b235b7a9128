/** What the node is asked to do, and to tell of itself. */
import type { KeyType } from "../crypto/key-types.ts";
import type { ScriptVar } from "../script/index.ts";
import type { RequestError, SentTransaction, ValidationError } from "../transactions/index.ts";
import type { AccountInfo } from "./chain-answers.ts";

/** An account of the node's wallet, without its secret. */
export interface WalletAccount {
  readonly address: Uint8Array;
  readonly keyType: KeyType;
  readonly publicKey: Uint8Array;
}

/**
 * Why the node did not do what it was asked, as plain data. What a client is told stands in `http/errors.ts`.
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
  /** Approximate height of the better chain that this node fetches; undefined: no blocks prove that it is behind. */
  readonly targetHeight: number | undefined;
  /** Approximate height of the chain that a peer claims to have; undefined: no peer claims to be ahead. It proves nothing. */
  readonly claimedHeight: number | undefined;
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
