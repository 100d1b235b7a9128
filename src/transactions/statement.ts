import type { DataEntry, TransactionBase } from "./base.ts";

/** Statement: say something, about another account if need be. Page 02 §10.16. */
export interface StatementTransaction extends TransactionBase {
  readonly type: 23;
  readonly statementType: bigint;
  /** Address, 26 bytes. */
  readonly recipient?: Uint8Array;
  /** 1 to 256 bytes. */
  readonly subject?: Uint8Array;
  readonly data: readonly DataEntry[];
}
