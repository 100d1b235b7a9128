import type { TransactionBase } from "./base.ts";

/** Mass transfer: up to 100 transfers from one sender. Page 02 §10.5. */
export interface MassTransferTransaction extends TransactionBase {
  readonly type: 11;
  readonly transfers: readonly Payout[];
  /** At most 140 bytes. */
  readonly attachment: Uint8Array;
}

/** One transfer of a mass transfer. */
export interface Payout {
  /** Address, 26 bytes. */
  readonly recipient: Uint8Array;
  /** In 10^-8 tokens, 0 allowed. */
  readonly amount: bigint;
}
