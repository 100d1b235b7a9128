import { Feature } from "../../profiles/features.ts";
import { ANCHOR_TRANSACTION } from "../../script/values/object-types.ts";
import type { TransactionBase } from "../base.ts";
import { areDistinct, feePositive, keyTypeNeedsVersion3, rule, sponsorNeedsVersion3 } from "../checks.ts";
import { always, defineTransaction, since } from "../define.ts";
import { genericError, tooBigArray } from "../errors.ts";
import { hashes } from "../fields.ts";
import { fee, modern, senderKey, standard, timestamp } from "../layout.ts";

/** Anchors hashes on the chain. Page 02 §10.8. */
export interface AnchorTransaction extends TransactionBase {
  readonly type: 15;
  /** Up to 100 distinct hashes of at most 80 bytes. */
  readonly anchors: readonly Uint8Array[];
}

const MAX_ANCHORS = 100;
const MAX_LENGTH = 80;

export const anchor = defineTransaction<AnchorTransaction>({
  type: 15,
  name: "anchor",
  className: "Anchor",
  versions: { 1: always, 3: since(Feature.Cobalt) },
  fields: { anchors: hashes(MAX_ANCHORS, MAX_LENGTH) },
  layouts: {
    1: modern(senderKey, "anchors", timestamp, fee),
    3: standard("anchors"),
  },
  groups: ["anchor"],
  operations: (tx) => Math.max(1, tx.anchors.length),
  anchors: (tx) => tx.anchors,
  script: {
    objectType: ANCHOR_TRANSACTION,
    ownValues: (tx) => [BigInt(tx.anchors.length), tx.anchors],
  },
  checks: [
    rule((tx) => tx.anchors.length <= MAX_ANCHORS, tooBigArray),
    rule(
      (tx) => tx.anchors.every((hash) => hash.length <= MAX_LENGTH),
      genericError(`Anchor should be max ${MAX_LENGTH} bytes`),
    ),
    rule((tx) => areDistinct(tx.anchors), genericError("Duplicate anchor in one tx found")),
    feePositive,
    sponsorNeedsVersion3,
    keyTypeNeedsVersion3,
  ],
});
