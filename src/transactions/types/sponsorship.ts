import { Feature } from "../../profiles/features.ts";
import { SPONSORSHIP_TRANSACTION } from "../../script/values/object-types.ts";
import { opaqueAddress } from "../../script/values/transaction-value.ts";
import type { TransactionBase } from "../base.ts";
import { feePositive, keyTypeNeedsVersion3, notToSelf, sponsorNeedsVersion3 } from "../checks.ts";
import { defineTransaction, since } from "../define.ts";
import { genericError } from "../errors.ts";
import { address } from "../fields.ts";
import { chainId, fee, modern, senderKey, standard, timestamp } from "../layout.ts";

/** Pays the fees of another account from now on. Page 02 §10.11. */
export interface SponsorshipTransaction extends TransactionBase {
  readonly type: 18;
  readonly recipient: Uint8Array;
}

export const sponsorship = defineTransaction<SponsorshipTransaction>({
  type: 18,
  name: "sponsorship",
  className: "Sponsorship",
  versions: { 1: since(Feature.Sponsorship), 3: since(Feature.Cobalt) },
  fields: { recipient: address },
  layouts: {
    1: modern(chainId, senderKey, "recipient", timestamp, fee),
    3: standard("recipient"),
  },
  portfolio: true,
  groups: ["sponsor"],
  script: { objectType: SPONSORSHIP_TRANSACTION, ownValues: (tx) => [opaqueAddress(tx.recipient)] },
  checks: [
    notToSelf(genericError("Can't sponsor oneself")),
    feePositive,
    sponsorNeedsVersion3,
    keyTypeNeedsVersion3,
  ],
});
