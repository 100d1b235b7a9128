import type { LeafProof } from "../interfaces.ts";
import { command, defineControl, query, remotely } from "./define.ts";
import type { Outcome } from "./failure.ts";
import type { WalletAccount } from "./wallet.ts";

/** A hash that is pending, or is anchored in a block that a rollback can still remove. */
export interface QueuedAnchor {
  /** Time of queueing, ms since 1970; undefined if the hash is in a Merkle tree. */
  readonly since: number | undefined;
  /** Transaction that anchors the hash or its tree's root; undefined before it is created. */
  readonly transactionId: Uint8Array | undefined;
}

export interface AnchorQueueInfo {
  readonly mode: "off" | "batch" | "merkle";
  /** Number of jobs (hashes, tree roots, sponsorships for roles) without a transaction. */
  readonly waiting: number;
  /** Maximum number of such jobs. */
  readonly limit: number;
  /** Time of queueing of the oldest such job, ms since 1970. */
  readonly oldestSince: number | undefined;
  /** Oldest transactions that are not final; `count` is the number of jobs. */
  readonly sent: readonly { readonly transactionId: Uint8Array; readonly count: number }[];
  /** Number of all transactions that are not final. */
  readonly sentCount: number;
  /** `since`: start of the problem, ms since 1970. */
  readonly problem: { readonly text: string; readonly since: number } | undefined;
}

/** Hashes of a call of `leafRoots`. Looking them up takes about 10 ms. */
export const MAX_LEAF_HASHES = 500;

export const anchoringControl = defineControl({
  /** Returns the account that signs: the configured one, or the wallet's oldest. */
  account: remotely(0, query<() => Promise<WalletAccount | undefined>>()),
  /** Queues a hash if it is not queued yet. Resolves when it is on disk. If writing fails, it is not queued. */
  add: remotely(1, command<(hash: Uint8Array) => Promise<Outcome<void>>>()),
  queued: remotely(1, query<(hash: Uint8Array) => Promise<QueuedAnchor | undefined>>()),
  /** Returns the path of a hash to the root of one of this node's trees, also before the root is sent. */
  leafProof: remotely(1, query<(hash: Uint8Array) => Promise<LeafProof | undefined>>()),
  /**
   * Returns the root of the tree of each hash, in the same order; undefined if this node has no trees.
   * @param hashes at most `MAX_LEAF_HASHES`; further ones are ignored
   */
  leafRoots: remotely(
    1,
    query<(hashes: readonly Uint8Array[]) => Promise<readonly (Uint8Array | undefined)[] | undefined>>(),
  ),
  /** Lists at most `limit` sent transactions. Returns undefined if this node does not queue hashes. */
  info: remotely(1, query<(limit: number) => Promise<AnchorQueueInfo | undefined>>()),
});
