import type { TransactionBase } from "./base.ts";

/** Payment: the simplest transfer, only where the profile of the network switches it on. Page 02 §10.17. */
export interface PaymentTransaction extends TransactionBase {
  readonly type: 2;
  /** Address, 26 bytes. */
  readonly recipient: Uint8Array;
  /** In 10^-8 tokens. */
  readonly amount: bigint;
}
