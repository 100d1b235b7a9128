import type { DataEntry, TransactionBase } from "./base.ts";

/** Data: keys and values for the sender's account. Page 02 §10.6. */
export interface DataTransaction extends TransactionBase {
  readonly type: 12;
  readonly data: readonly DataEntry[];
}
