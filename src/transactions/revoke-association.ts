import type { TransactionBase } from "./base.ts";

/** Revoke association: withdraw a relation to another account. Page 02 §10.10. */
export interface RevokeAssociationTransaction extends TransactionBase {
  readonly type: 17;
  /** A 32-bit number below version 4, of 64 bits from then on. */
  readonly associationType: bigint;
  /** Address, 26 bytes. */
  readonly recipient: Uint8Array;
  /** At most 256 bytes; present but empty only in version 1. */
  readonly subject?: Uint8Array;
}
