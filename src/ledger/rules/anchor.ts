import { HASH_LENGTHS } from "../../crypto/hash-lengths.ts";
import { bodyBytes } from "../../transactions/index.ts";
import type { AnchorTransaction } from "../../transactions/types/anchor.ts";
import { senderEffect } from "../effect.ts";
import type { Era } from "../era.ts";
import { genericError, type Refusal } from "../refusal.ts";
import { extraKibibytes, fixedFee, perItemFee, type TransactionRule } from "../transaction-rule.ts";

/** The index stores the hashes, the state does not. Page 05 §15.8. */
export const anchorRule: TransactionRule<AnchorTransaction> = {
  fees: {
    1: perItemFee(100_000n, 100_000n, (tx) => extraKibibytes(bodyBytes(tx).length)),
    2: fixedFee(10_000_000n),
    3: fixedFee(35_000_000n),
    4: perItemFee(1_000_000n, 100_000n, (tx) => tx.anchors.length),
    5: perItemFee(250n, 100n, (tx) => tx.anchors.length),
  },
  effect: (_view, tx, era) => checkAnchors(tx, era) ?? senderEffect(tx.senderAddress),
};

function checkAnchors(tx: AnchorTransaction, era: Era): Refusal | undefined {
  if (era.titanium) return undefined;
  if (era.association && !era.cobalt && tx.anchors.length !== 1) {
    return genericError("AnchorTransaction should have exactly 1 anchor");
  }
  if (!tx.anchors.every((anchor) => HASH_LENGTHS.has(anchor.length))) {
    return genericError("Anchor can only be of length List(16, 20, 32, 48, 64) Bytes");
  }
  return undefined;
}
