import { command, defineControl, query } from "./define.ts";
import type { Outcome } from "./failure.ts";
import type { WalletAccount } from "./wallet.ts";

/** Pending, or anchored in a block that a rollback can still reach. */
export interface QueuedAnchor {
  /** When it was queued, ms; undefined for a hash in a tree. */
  readonly since: number | undefined;
  /** Anchors the hash or the root of its tree; undefined: not created yet. */
  readonly transactionId: Uint8Array | undefined;
}

export interface AnchorQueueInfo {
  readonly mode: "off" | "batch" | "merkle";
  /** Jobs without a transaction: hashes, roots of trees and sponsorships for roles. */
  readonly waiting: number;
  readonly limit: number;
  /** When the oldest job was queued, ms. */
  readonly oldest: number | undefined;
  /** The oldest sent transactions. */
  readonly sent: readonly { readonly transactionId: Uint8Array; readonly count: number }[];
  readonly sentCount: number;
  /** Why nothing is sent, and since when (ms). */
  readonly problem: { readonly text: string; readonly since: number } | undefined;
}

export const anchoringControl = defineControl({
  /** The configured account, or the oldest one of the wallet. */
  account: query<() => Promise<WalletAccount | undefined>>(),
  /** Resolves when the hash is on the disk; after a failure it is not queued. Queues a hash only once. */
  add: command<(hash: Uint8Array) => Promise<Outcome<void>>>(),
  queued: query<(hash: Uint8Array) => Promise<QueuedAnchor | undefined>>(),
  /** Undefined: this node does not queue hashes. `limit`: of `sent`. */
  info: query<(limit: number) => Promise<AnchorQueueInfo | undefined>>(),
});
