import type { PublicKey } from "../crypto/key-types.ts";
import type { TransactionBase } from "./base.ts";

/** Register: make accounts known to the chain. Page 02 §10.12. */
export interface RegisterTransaction extends TransactionBase {
  readonly type: 20;
  /** At most 100, repetitions allowed; ECDSA keys need not be points of the curve. */
  readonly accounts: readonly PublicKey[];
}
