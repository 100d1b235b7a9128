import type { LeafProof } from "../interfaces.ts";
import { command, defineControl, query, remotely } from "./define.ts";
import type { Outcome } from "./failure.ts";
import type { WalletAccount } from "./wallet.ts";

/** A hash that is pending, or anchored in a block that a rollback can still remove. */
export interface QueuedAnchor {
  /** Time of queueing, ms since 1970; undefined if the hash is in a Merkle tree. */
  readonly since: number | undefined;
  /** Transaction that anchors the hash or its tree's root; undefined before its creation. */
  readonly transactionId: Uint8Array | undefined;
}

export interface AnchorQueueInfo {
  readonly mode: "off" | "batch" | "merkle";
  /** Jobs (hashes, tree roots, sponsorships for roles) without a transaction. */
  readonly waiting: number;
  /** Maximum of `waiting`. */
  readonly limit: number;
  /** When the oldest waiting job was queued, ms since 1970. */
  readonly oldestSince: number | undefined;
  /** Oldest transactions that are not final; `count`: number of jobs. */
  readonly sent: readonly { readonly transactionId: Uint8Array; readonly count: number }[];
  /** Number of all transactions that are not final. */
  readonly sentCount: number;
  /** Why the node cannot send jobs; `since`: ms since 1970. */
  readonly problem: { readonly text: string; readonly since: number } | undefined;
}

/** `leafRoots` takes about 10 ms for this number. */
export const MAX_LEAF_HASHES = 500;

export const anchoringControl = defineControl({
  /** Returns the account that signs anchors: the configured one, or the wallet's oldest. */
  account: remotely(0, query<() => Promise<WalletAccount | undefined>>()),
  /** Queues a hash unless it is queued. Resolves when the hash is on disk; if writing fails, the hash is not queued. */
  add: remotely(1, command<(hash: Uint8Array) => Promise<Outcome<void>>>()),
  queued: remotely(1, query<(hash: Uint8Array) => Promise<QueuedAnchor | undefined>>()),
  /** Returns the path of a hash to the root of one of this node's trees, even if the root is not sent yet. */
  leafProof: remotely(1, query<(hash: Uint8Array) => Promise<LeafProof | undefined>>()),
  /**
   * Returns the root of each hash's tree, in the same order; undefined if this node has no anchor store.
   * @param hashes at most `MAX_LEAF_HASHES`; further ones are ignored
   */
  leafRoots: remotely(
    1,
    query<(hashes: readonly Uint8Array[]) => Promise<readonly (Uint8Array | undefined)[] | undefined>>(),
  ),
  /** Returns at most `limit` transactions in `sent`; undefined if this node does not queue hashes. */
  info: remotely(1, query<(limit: number) => Promise<AnchorQueueInfo | undefined>>()),
});
