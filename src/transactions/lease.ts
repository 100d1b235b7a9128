import type { TransactionBase } from "./base.ts";

/** Lease: lend generating power to a forger without giving up the tokens. Page 02 §10.3. */
export interface LeaseTransaction extends TransactionBase {
  readonly type: 8;
  /** Address, 26 bytes. */
  readonly recipient: Uint8Array;
  /** In 10^-8 tokens. */
  readonly amount: bigint;
}
