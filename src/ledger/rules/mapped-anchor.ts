import type { MappedAnchorTransaction } from "../../transactions/types/mapped-anchor.ts";
import { senderEffect } from "../effect.ts";
import { perItemFee, type TransactionRule } from "../transaction-rule.ts";

/** The index stores the pairs of hashes, the state does not. Page 05 §15.14. */
export const mappedAnchorRule: TransactionRule<MappedAnchorTransaction> = {
  fees: {
    4: perItemFee(1_000_000n, 100_000n, (tx) => tx.anchors.length),
    5: perItemFee(250n, 100n, (tx) => tx.anchors.length),
  },
  effect: (_view, tx) => senderEffect(tx.senderAddress),
};
