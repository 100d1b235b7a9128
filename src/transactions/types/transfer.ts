import { Feature } from "../../profiles/features.ts";
import { TRANSFER_TRANSACTION } from "../../script/values/object-types.ts";
import { addressValue } from "../../script/values/transaction-value.ts";
import type { TransactionBase } from "../base.ts";
import {
  amountAndFeeFit,
  amountPositive,
  attachmentFits,
  feePositive,
  keyTypeNeedsVersion3,
  MAX_ATTACHMENT_LENGTH,
  oneProofInVersion1,
  sponsorNeedsVersion3,
} from "../checks.ts";
import { always, defineTransaction, since } from "../define.ts";
import { address, amount, bytes } from "../fields.ts";
import { fee, modern, senderKey, signatureFirst, standard, timestamp } from "../layout.ts";

/** Sends tokens to another account. Page 02 §10.2. */
export interface TransferTransaction extends TransactionBase {
  readonly type: 4;
  readonly recipient: Uint8Array;
  readonly amount: bigint;
  /** At most 140 bytes. */
  readonly attachment: Uint8Array;
}

export const transfer = defineTransaction<TransferTransaction>({
  type: 4,
  name: "transfer",
  className: "Transfer",
  versions: { 1: always, 2: since(Feature.SmartAccounts), 3: since(Feature.Cobalt) },
  fields: { recipient: address, amount: amount(1n), attachment: bytes(MAX_ATTACHMENT_LENGTH) },
  layouts: {
    1: signatureFirst(senderKey, timestamp, "amount", fee, "recipient", "attachment"),
    2: modern(senderKey, timestamp, "amount", fee, "recipient", "attachment"),
    3: standard("recipient", "amount", "attachment"),
  },
  portfolio: true,
  groups: ["transfer", "all_transfers"],
  payouts: (tx) => [tx],
  script: {
    objectType: TRANSFER_TRANSACTION,
    ownValues: (tx) => [tx.amount, addressValue(tx.recipient), tx.attachment],
  },
  checks: [
    attachmentFits,
    feePositive,
    amountPositive,
    amountAndFeeFit,
    sponsorNeedsVersion3,
    oneProofInVersion1,
    keyTypeNeedsVersion3,
  ],
});
