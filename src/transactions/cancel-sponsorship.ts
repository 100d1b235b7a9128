import type { TransactionBase } from "./base.ts";

/** Cancel sponsorship: stop paying the fees of another account. Page 02 §10.11. */
export interface CancelSponsorshipTransaction extends TransactionBase {
  readonly type: 19;
  /** Address, 26 bytes. */
  readonly recipient: Uint8Array;
}
