import type { TransactionBase } from "./base.ts";

/** Genesis: an initial balance. Page 02 §10.1. */
export interface GenesisTransaction extends TransactionBase {
  readonly type: 1;
  /** Address, 26 bytes. */
  readonly recipient: Uint8Array;
  /** In 10^-8 tokens. */
  readonly amount: bigint;
}
