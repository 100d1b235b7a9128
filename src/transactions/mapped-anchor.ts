import type { TransactionBase } from "./base.ts";

/** Mapped anchor: put hashes on the chain under keys. Page 02 §10.15. */
export interface MappedAnchorTransaction extends TransactionBase {
  readonly type: 22;
  /** Key and value, each at most 80 bytes; keys distinct, in the canonical order of the body. */
  readonly anchors: readonly (readonly [key: Uint8Array, value: Uint8Array])[];
}
