import type { DataEntry, TransactionBase } from "./base.ts";

/** Issue association: state a relation to another account. Page 02 §10.9. */
export interface IssueAssociationTransaction extends TransactionBase {
  readonly type: 16;
  /** A 32-bit number below version 4, of 64 bits from then on. */
  readonly associationType: bigint;
  /** Address, 26 bytes. */
  readonly recipient: Uint8Array;
  /** Milliseconds since 1970. 0 can stand here only until the transaction passes through bytes. */
  readonly expires?: bigint;
  /** At most 256 bytes; present but empty only in version 1. */
  readonly subject?: Uint8Array;
  /** Empty below version 4. */
  readonly data: readonly DataEntry[];
}
