import type { TransactionBase } from "./base.ts";

/** Sponsorship: pay the fees of another account from now on. Page 02 §10.11. */
export interface SponsorshipTransaction extends TransactionBase {
  readonly type: 18;
  /** Address, 26 bytes. */
  readonly recipient: Uint8Array;
}
