import { Feature } from "../../profiles/features.ts";
import { REVOKE_ASSOCIATION_TRANSACTION } from "../../script/values/object-types.ts";
import { opaqueAddress } from "../../script/values/transaction-value.ts";
import type { TransactionBase } from "../base.ts";
import {
  associationTypeFits,
  feePositive,
  keyTypeNeedsVersion3,
  MAX_SUBJECT_LENGTH,
  sponsorNeedsVersion3,
  subjectFits,
  subjectNotEmptyFromVersion3,
} from "../checks.ts";
import { defineTransaction, since } from "../define.ts";
import { address, int64, optionalBytes, withAlias } from "../fields.ts";
import {
  chainId,
  fee,
  int32AssociationType,
  modern,
  possiblyEmptySubject,
  senderKey,
  standard,
  timestamp,
} from "../layout.ts";

/** Page 02 §10.10. */
export interface RevokeAssociationTransaction extends TransactionBase {
  readonly type: 17;
  /** Integer of 32 bits below version 4, otherwise of 64 bits. */
  readonly associationType: bigint;
  readonly recipient: Uint8Array;
  /** At most 256 bytes; empty only in version 1. */
  readonly subject?: Uint8Array;
}

export const revokeAssociation = defineTransaction<RevokeAssociationTransaction>({
  type: 17,
  name: "revoke association",
  className: "RevokeAssociation",
  versions: { 1: since(Feature.Association), 3: since(Feature.Cobalt), 4: since(Feature.Titanium) },
  fields: {
    associationType: withAlias(int64, "assocType"),
    recipient: withAlias(address, "party"),
    subject: withAlias(optionalBytes(MAX_SUBJECT_LENGTH), "hash"),
  },
  layouts: {
    1: modern(chainId, senderKey, "recipient", int32AssociationType, possiblyEmptySubject, timestamp, fee),
    3: standard("recipient", int32AssociationType, "subject"),
    4: standard("associationType", "recipient", "subject"),
  },
  groups: ["association"],
  association: { revokes: true, terms: (tx) => tx },
  script: {
    objectType: REVOKE_ASSOCIATION_TRANSACTION,
    ownValues: (tx) => [tx.associationType, opaqueAddress(tx.recipient)],
  },
  checks: [
    associationTypeFits,
    subjectNotEmptyFromVersion3,
    subjectFits,
    feePositive,
    sponsorNeedsVersion3,
    keyTypeNeedsVersion3,
  ],
});
