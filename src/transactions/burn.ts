import type { TransactionBase } from "./base.ts";

/** Burn: destroy tokens. Page 02 §10.13. */
export interface BurnTransaction extends TransactionBase {
  readonly type: 21;
  /** In 10^-8 tokens. */
  readonly amount: bigint;
}
