import { keyTypeInfo, type PublicKey } from "../../crypto/key-types.ts";
import { Feature } from "../../profiles/features.ts";
import { REGISTER_TRANSACTION } from "../../script/values/object-types.ts";
import { OpaqueValue } from "../../script/values/values.ts";
import type { TransactionBase } from "../base.ts";
import { feePositive, rule } from "../checks.ts";
import { defineTransaction, since } from "../define.ts";
import { genericError, tooBigArray } from "../errors.ts";
import { accounts } from "../fields.ts";
import { standard } from "../layout.ts";

/** Publishes public keys of accounts. Page 02 §10.12. */
export interface RegisterTransaction extends TransactionBase {
  readonly type: 20;
  /** Up to 100 keys, possibly with duplicates. ECDSA keys need not be points of the curve. */
  readonly accounts: readonly PublicKey[];
}

const MAX_ACCOUNTS = 100;

export const register = defineTransaction<RegisterTransaction>({
  type: 20,
  name: "register",
  className: "Register",
  versions: { 3: since(Feature.CobaltAlloy) },
  fields: { accounts: accounts(MAX_ACCOUNTS) },
  layouts: { 3: standard("accounts") },
  accounts: (tx) => tx.accounts,
  script: {
    objectType: REGISTER_TRANSACTION,
    ownValues: (tx) => [tx.accounts.map(({ bytes }) => new OpaqueValue("PublicKey", bytes))],
  },
  checks: [
    rule((tx) => tx.accounts.length <= MAX_ACCOUNTS, tooBigArray),
    // Duplicate keys are allowed, because the reference's rule against them never takes effect.
    rule(
      (tx) => tx.accounts.every((key) => key.bytes.length === keyTypeInfo(key.keyType).publicKeyLength),
      genericError("Invalid key length"),
    ),
    feePositive,
  ],
});
