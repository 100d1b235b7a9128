import type { TransactionBase } from "../base.ts";
import {
  amountAndFeeFit,
  amountPositive,
  feePositive,
  keyTypeNeedsVersion3,
  oneProofInVersion1,
  sponsorNeedsVersion3,
} from "../checks.ts";
import { always, defineTransaction } from "../define.ts";
import { address, amount } from "../fields.ts";
import { fee, senderKey, signatureLast, timestamp } from "../layout.ts";

/** Transfers tokens without attachment, only if the profile enables it. */
export interface PaymentTransaction extends TransactionBase {
  readonly type: 2;
  readonly recipient: Uint8Array;
  readonly amount: bigint;
}

export const payment = defineTransaction<PaymentTransaction>({
  type: 2,
  name: "payment",
  className: "Payment",
  existsOn: (network) => network.payment,
  versions: { 1: always },
  fields: { recipient: address, amount: amount(1n) },
  layouts: { 1: signatureLast(timestamp, senderKey, "recipient", "amount", fee) },
  json: ["type", "id", "fee", "timestamp", "proofs", "sender", "senderPublicKey", "recipient", "amount"],
  // Indexed like a transfer. Page 02 §10.17.
  portfolio: true,
  groups: ["transfer", "all_transfers"],
  payouts: (tx) => [tx],
  checks: [
    feePositive,
    amountPositive,
    amountAndFeeFit,
    sponsorNeedsVersion3,
    oneProofInVersion1,
    keyTypeNeedsVersion3,
  ],
});
