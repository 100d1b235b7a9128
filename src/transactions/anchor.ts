import type { TransactionBase } from "./base.ts";

/** Anchor: put hashes on the chain. Page 02 §10.8. */
export interface AnchorTransaction extends TransactionBase {
  readonly type: 15;
  /** Each at most 80 bytes, all distinct. */
  readonly anchors: readonly Uint8Array[];
}
