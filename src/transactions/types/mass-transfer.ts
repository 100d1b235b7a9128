import { bytesEqual } from "../../bytes/compare.ts";
import { fitsInt64, int64 } from "../../bytes/int64.ts";
import { Feature } from "../../profiles/features.ts";
import { MASS_TRANSFER_TRANSACTION, TRANSFER } from "../../script/values/object-types.ts";
import { addressValue } from "../../script/values/transaction-value.ts";
import { ObjectValue } from "../../script/values/values.ts";
import type { Payout } from "../aspects.ts";
import type { TransactionBase } from "../base.ts";
import {
  attachmentFits,
  feePositive,
  keyTypeNeedsVersion3,
  MAX_ATTACHMENT_LENGTH,
  rule,
  sponsorNeedsVersion3,
} from "../checks.ts";
import { always, commonJson, defineTransaction, since } from "../define.ts";
import { genericError, overflowError } from "../errors.ts";
import { bytes, payouts } from "../fields.ts";
import { fee, oldWithProofs, senderKey, standard, timestamp } from "../layout.ts";

/** Up to 100 transfers from one sender. Page 02 §10.5. */
export interface MassTransferTransaction extends TransactionBase {
  readonly type: 11;
  readonly transfers: readonly Payout[];
  /** At most 140 bytes. */
  readonly attachment: Uint8Array;
}

const MAX_TRANSFERS = 100;
const transfersField = payouts(MAX_TRANSFERS);

/** Every partial sum of fee and amounts must fit 64 bits. */
function sumFits(tx: MassTransferTransaction): boolean {
  let sum = tx.fee;
  for (const { amount } of tx.transfers) {
    sum += amount;
    if (!fitsInt64(sum)) return false;
  }
  return true;
}

function totalAmount(tx: MassTransferTransaction): bigint {
  return int64(tx.transfers.reduce((sum, { amount }) => sum + amount, 0n));
}

export const massTransfer = defineTransaction<MassTransferTransaction, "transferCount" | "totalAmount">({
  type: 11,
  name: "mass transfer",
  className: "MassTransfer",
  versions: { 1: always, 3: since(Feature.Cobalt) },
  fields: { transfers: transfersField, attachment: bytes(MAX_ATTACHMENT_LENGTH) },
  layouts: {
    1: oldWithProofs(senderKey, "transfers", timestamp, fee, "attachment"),
    3: standard("transfers", "attachment"),
  },
  json: commonJson("attachment", "transferCount", "totalAmount", "transfers"),
  derived: {
    transferCount: (tx) => tx.transfers.length,
    totalAmount,
  },
  portfolio: true,
  groups: ["mass_transfer", "all_transfers"],
  payouts: (tx) => tx.transfers,
  operations: (tx) => tx.transfers.length,
  recipientJson: (tx, address) => ({
    transfers: transfersField.show(tx.transfers.filter((payout) => bytesEqual(payout.recipient, address))),
  }),
  script: {
    objectType: MASS_TRANSFER_TRANSACTION,
    ownValues: (tx) => [
      totalAmount(tx),
      tx.transfers.map(
        ({ recipient, amount }) => new ObjectValue(TRANSFER, [addressValue(recipient), amount]),
      ),
      BigInt(tx.transfers.length),
      tx.attachment,
    ],
  },
  checks: [
    rule(
      (tx) => tx.transfers.length <= MAX_TRANSFERS,
      genericError(`Number of transfers is greater than ${MAX_TRANSFERS}`),
    ),
    rule(
      (tx) => tx.transfers.every(({ amount }) => amount >= 0n),
      genericError("One of the transfers has negative amount"),
    ),
    rule(sumFits, overflowError),
    attachmentFits,
    feePositive,
    sponsorNeedsVersion3,
    keyTypeNeedsVersion3,
  ],
});
