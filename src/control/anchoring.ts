import { command, defineControl, query } from "./define.ts";
import type { Outcome } from "./failure.ts";
import type { WalletAccount } from "./wallet.ts";

/** A hash that is pending, or is anchored in a block that a rollback can still remove. */
export interface QueuedAnchor {
  /** Time at which the hash was queued, in milliseconds since 1970; undefined if the hash is in a Merkle tree. */
  readonly since: number | undefined;
  /** The transaction that anchors the hash or the root of its tree; undefined if it is not created yet. */
  readonly transactionId: Uint8Array | undefined;
}

export interface AnchorQueueInfo {
  readonly mode: "off" | "batch" | "merkle";
  /** Number of jobs without a transaction. A job is a hash, the root of a tree, or a sponsorship for a role. */
  readonly waiting: number;
  /** Maximum number of jobs in the queue. */
  readonly limit: number;
  /** Time at which the oldest such job was queued, in milliseconds since 1970. */
  readonly oldest: number | undefined;
  /** The oldest sent transactions, each with its number of jobs. */
  readonly sent: readonly { readonly transactionId: Uint8Array; readonly count: number }[];
  readonly sentCount: number;
  /** Reason why sending fails, and when it began to fail, in milliseconds since 1970. */
  readonly problem: { readonly text: string; readonly since: number } | undefined;
}

export const anchoringControl = defineControl({
  /** Returns the account that signs: the configured one, or the oldest one of the wallet. */
  account: query<() => Promise<WalletAccount | undefined>>(),
  /**
   * Queues a hash, unless it is queued already. Resolves when the hash is on disk. If the write fails, the hash is not
   * queued.
   */
  add: command<(hash: Uint8Array) => Promise<Outcome<void>>>(),
  queued: query<(hash: Uint8Array) => Promise<QueuedAnchor | undefined>>(),
  /**
   * Returns undefined if this node does not queue hashes.
   * @param limit maximum length of `sent`
   */
  info: query<(limit: number) => Promise<AnchorQueueInfo | undefined>>(),
});
