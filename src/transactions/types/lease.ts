import { Feature } from "../../profiles/features.ts";
import { LEASE_TRANSACTION } from "../../script/values/object-types.ts";
import { addressValue } from "../../script/values/transaction-value.ts";
import type { TransactionBase } from "../base.ts";
import {
  amountAndFeeFit,
  amountPositive,
  feePositive,
  keyTypeNeedsVersion3,
  notToSelf,
  oneProofInVersion1,
  sponsorNeedsVersion3,
} from "../checks.ts";
import { always, defineTransaction, since } from "../define.ts";
import { toSelf } from "../errors.ts";
import { address, amount } from "../fields.ts";
import { fee, modern, reserved, senderKey, signatureLast, standard, timestamp } from "../layout.ts";

/** Lends generating power to a forger without giving up the tokens. Page 02 §10.3. */
export interface LeaseTransaction extends TransactionBase {
  readonly type: 8;
  readonly recipient: Uint8Array;
  readonly amount: bigint;
}

export const lease = defineTransaction<LeaseTransaction>({
  type: 8,
  name: "lease",
  className: "Lease",
  versions: { 1: always, 2: since(Feature.SmartAccounts), 3: since(Feature.Cobalt) },
  fields: { recipient: address, amount: amount(1n) },
  layouts: {
    1: signatureLast(senderKey, "recipient", "amount", fee, timestamp),
    2: modern(reserved(0), senderKey, "recipient", "amount", fee, timestamp),
    3: standard("recipient", "amount"),
  },
  portfolio: true,
  groups: ["lease"],
  isLease: true,
  leasedAmount: (tx) => tx.amount,
  script: { objectType: LEASE_TRANSACTION, ownValues: (tx) => [tx.amount, addressValue(tx.recipient)] },
  checks: [
    amountPositive,
    amountAndFeeFit,
    notToSelf(toSelf),
    feePositive,
    sponsorNeedsVersion3,
    oneProofInVersion1,
    keyTypeNeedsVersion3,
  ],
});
