import type { TransactionBase } from "./base.ts";

/** Set script: put a script on the sender's account, or remove it. Page 02 §10.7. */
export interface SetScriptTransaction extends TransactionBase {
  readonly type: 13;
  /** Canonical script bytes (version, expression, checksum); undefined removes the script. */
  readonly script: Uint8Array | undefined;
}
