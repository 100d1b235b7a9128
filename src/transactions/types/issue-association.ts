import { Feature } from "../../profiles/features.ts";
import { ISSUE_ASSOCIATION_TRANSACTION } from "../../script/values/object-types.ts";
import { opaqueAddress } from "../../script/values/transaction-value.ts";
import type { TransactionBase } from "../base.ts";
import {
  associationTypeFits,
  entriesFit,
  feePositive,
  keyTypeNeedsVersion3,
  MAX_SUBJECT_LENGTH,
  rule,
  sponsorNeedsVersion3,
  subjectFits,
  subjectNotEmptyFromVersion3,
} from "../checks.ts";
import { type DataEntry, MAX_ENTRIES } from "../data-entry.ts";
import { defineTransaction, since } from "../define.ts";
import { unsupportedFeature } from "../errors.ts";
import { address, int64, optionalBytes, optionalEntries, optionalInt64, withAlias } from "../fields.ts";
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

/** States a relation to another account. Page 02 §10.9. */
export interface IssueAssociationTransaction extends TransactionBase {
  readonly type: 16;
  /** Integer of 32 bits below version 4, otherwise of 64 bits. */
  readonly associationType: bigint;
  readonly recipient: Uint8Array;
  /** Milliseconds since 1970. 0 is encoded as absent. */
  readonly expires?: bigint;
  /** At most 256 bytes; empty only in version 1. */
  readonly subject?: Uint8Array;
  /** Always empty below version 4. */
  readonly data: readonly DataEntry[];
}

const MAX_BYTES = 10 * 1024;
export const issueAssociation = defineTransaction<IssueAssociationTransaction>({
  type: 16,
  name: "issue association",
  className: "IssueAssociation",
  versions: { 1: since(Feature.Association), 3: since(Feature.Cobalt), 4: since(Feature.Titanium) },
  fields: {
    associationType: withAlias(int64, "assocType"),
    recipient: withAlias(address, "party"),
    expires: optionalInt64,
    subject: withAlias(optionalBytes(MAX_SUBJECT_LENGTH), "hash"),
    data: optionalEntries(MAX_ENTRIES),
  },
  layouts: {
    1: modern(chainId, senderKey, "recipient", int32AssociationType, possiblyEmptySubject, timestamp, fee),
    3: standard("recipient", int32AssociationType, "expires", "subject"),
    4: standard("associationType", "recipient", "expires", "subject", "data"),
  },
  groups: ["association"],
  association: { revokes: false, terms: (tx) => tx },
  script: {
    objectType: ISSUE_ASSOCIATION_TRANSACTION,
    ownValues: (tx) => [tx.associationType, opaqueAddress(tx.recipient)],
  },
  checks: [
    associationTypeFits,
    subjectNotEmptyFromVersion3,
    subjectFits,
    feePositive,
    rule(
      (tx) => tx.expires === undefined || tx.version >= 3,
      (tx) => unsupportedFeature(`Association expiry is not supported for tx v${tx.version}`),
    ),
    rule(
      (tx) => tx.data.length === 0 || tx.version >= 4,
      (tx) => unsupportedFeature(`Association data is not supported for tx v${tx.version}`),
    ),
    ...entriesFit({ emptyKey: "Empty key found", sameKeys: "Duplicate keys found in data" }, MAX_BYTES),
    sponsorNeedsVersion3,
    keyTypeNeedsVersion3,
  ],
});
