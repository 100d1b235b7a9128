/** What the node is asked about hashes that are to be anchored. */
import { defineControl, typed } from "./define.ts";
import type { Outcome } from "./failure.ts";
import type { WalletAccount } from "./wallet.ts";

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

/** Pending anchors. */
export const anchoringControl = defineControl({
  /** The account that was made first, unless one is configured for anchoring. */
  account: { mutates: false, call: typed<() => Promise<WalletAccount | undefined>>() },
  /**
   * Takes a hash that is to be anchored with others; it is on the disk when this resolves, and not taken otherwise. The
   * same hash twice is taken once.
   */
  add: { mutates: true, call: typed<(hash: Uint8Array) => Promise<Outcome<void>>>() },
  /** What became of a hash that was taken. */
  queued: {
    mutates: false,
    call: typed<(hash: Uint8Array) => Promise<QueuedAnchor | undefined>>(),
  },
  /** Undefined: nothing is gathered here. At most `limit` of the transactions that were sent. */
  info: {
    mutates: false,
    call: typed<(limit: number) => Promise<AnchorQueueInfo | undefined>>(),
  },
});
