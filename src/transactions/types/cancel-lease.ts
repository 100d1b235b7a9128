import { Feature } from "../../profiles/features.ts";
import { LEASE_CANCEL_TRANSACTION } from "../../script/values/object-types.ts";
import type { TransactionBase } from "../base.ts";
import {
  feePositive,
  keyTypeNeedsVersion3,
  oneProofInVersion1,
  rule,
  sponsorNeedsVersion3,
} from "../checks.ts";
import { always, defineTransaction, since } from "../define.ts";
import { genericError } from "../errors.ts";
import { id, withAlias } from "../fields.ts";
import { chainId, fee, modern, senderKey, signatureLast, standard, timestamp } from "../layout.ts";

/** Page 02 §10.4. */
export interface CancelLeaseTransaction extends TransactionBase {
  readonly type: 9;
  /** 32 bytes. */
  readonly leaseId: Uint8Array;
}

export const cancelLease = defineTransaction<CancelLeaseTransaction>({
  type: 9,
  name: "cancel lease",
  className: "CancelLease",
  oldName: "lease-cancel",
  versions: { 1: always, 2: since(Feature.SmartAccounts), 3: since(Feature.Cobalt) },
  fields: { leaseId: withAlias(id, "txId") },
  layouts: {
    1: signatureLast(senderKey, fee, timestamp, "leaseId"),
    2: modern(chainId, senderKey, fee, timestamp, "leaseId"),
    3: standard("leaseId"),
  },
  portfolio: true,
  groups: ["lease"],
  cancelledLease: (tx) => tx.leaseId,
  script: { objectType: LEASE_CANCEL_TRANSACTION, ownValues: (tx) => [tx.leaseId] },
  checks: [
    rule((tx) => tx.leaseId.length === 32, genericError("Lease transaction id is invalid")),
    feePositive,
    sponsorNeedsVersion3,
    oneProofInVersion1,
    keyTypeNeedsVersion3,
  ],
});
