import { Feature } from "../../profiles/features.ts";
import type { TransactionBase } from "../base.ts";
import { feePositive, rule } from "../checks.ts";
import { defineTransaction, since } from "../define.ts";
import { genericError, tooBigArray } from "../errors.ts";
import { pairs } from "../fields.ts";
import { standard } from "../layout.ts";

/** Anchors hashes under keys. Page 02 §10.15. */
export interface MappedAnchorTransaction extends TransactionBase {
  readonly type: 22;
  /** At most 80 bytes each, with distinct keys in the body's canonical order. */
  readonly anchors: readonly (readonly [key: Uint8Array, value: Uint8Array])[];
}

const MAX_PAIRS = 100;
const MAX_LENGTH = 80;

export const mappedAnchor = defineTransaction<MappedAnchorTransaction>({
  type: 22,
  name: "mapped anchor",
  className: "MappedAnchor",
  versions: { 3: since(Feature.Titanium) },
  fields: { anchors: pairs(MAX_PAIRS, MAX_LENGTH) },
  layouts: { 3: standard("anchors") },
  groups: ["anchor"],
  operations: (tx) => Math.max(1, tx.anchors.length),
  // Keys are not anchors. Page 07 §18.4.
  anchors: (tx) => tx.anchors.map(([, value]) => value),
  mappedAnchors: (tx) => tx.anchors,
  checks: [
    rule((tx) => tx.anchors.length <= MAX_PAIRS, tooBigArray),
    rule(
      (tx) => tx.anchors.every(([key]) => key.length <= MAX_LENGTH),
      genericError(`Key should be max ${MAX_LENGTH} bytes`),
    ),
    rule(
      (tx) => tx.anchors.every(([, value]) => value.length <= MAX_LENGTH),
      genericError(`Anchor should be max ${MAX_LENGTH} bytes`),
    ),
    feePositive,
  ],
});
