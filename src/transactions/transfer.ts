import type { TransactionBase } from "./base.ts";

/** Transfer: move tokens. Page 02 §10.2. */
export interface TransferTransaction extends TransactionBase {
  readonly type: 4;
  /** Address, 26 bytes. */
  readonly recipient: Uint8Array;
  /** In 10^-8 tokens. */
  readonly amount: bigint;
  /** At most 140 bytes. */
  readonly attachment: Uint8Array;
}
