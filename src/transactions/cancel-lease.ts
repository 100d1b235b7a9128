import type { TransactionBase } from "./base.ts";

/** Cancel lease: take lent generating power back. Page 02 §10.4. */
export interface CancelLeaseTransaction extends TransactionBase {
  readonly type: 9;
  /** Id of the lease, 32 bytes. */
  readonly leaseId: Uint8Array;
}
