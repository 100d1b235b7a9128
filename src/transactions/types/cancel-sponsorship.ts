import { Feature } from "../../profiles/features.ts";
import { CANCEL_SPONSORSHIP_TRANSACTION } from "../../script/values/object-types.ts";
import { opaqueAddress } from "../../script/values/transaction-value.ts";
import type { TransactionBase } from "../base.ts";
import { feePositive, keyTypeNeedsVersion3, notToSelf, sponsorNeedsVersion3 } from "../checks.ts";
import { defineTransaction, since } from "../define.ts";
import { genericError } from "../errors.ts";
import { address } from "../fields.ts";
import { chainId, fee, modern, senderKey, standard, timestamp } from "../layout.ts";

/** Page 02 §10.11. */
export interface CancelSponsorshipTransaction extends TransactionBase {
  readonly type: 19;
  readonly recipient: Uint8Array;
}

export const cancelSponsorship = defineTransaction<CancelSponsorshipTransaction>({
  type: 19,
  name: "cancel sponsorship",
  className: "CancelSponsorship",
  oldName: "sponsorship-cancel",
  versions: { 1: since(Feature.Sponsorship), 3: since(Feature.Cobalt) },
  fields: { recipient: address },
  layouts: {
    1: modern(chainId, senderKey, "recipient", timestamp, fee),
    3: standard("recipient"),
  },
  portfolio: true,
  groups: ["sponsor"],
  script: { objectType: CANCEL_SPONSORSHIP_TRANSACTION, ownValues: (tx) => [opaqueAddress(tx.recipient)] },
  checks: [
    notToSelf(genericError("Can't sponsor oneself")),
    feePositive,
    sponsorNeedsVersion3,
    keyTypeNeedsVersion3,
  ],
});
