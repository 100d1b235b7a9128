import { bodyBytes, transactionBytes } from "../../transactions/index.ts";
import type { DataTransaction } from "../../transactions/types/data.ts";
import { senderEffect } from "../effect.ts";
import { genericError } from "../refusal.ts";
import {
  dataUnits,
  extraKibibytes,
  LARGE_UNIT,
  perItemFee,
  SMALL_UNIT,
  type TransactionRule,
} from "../transaction-rule.ts";

const MAX_TRANSACTION_BYTES = 10_240;

/** Entries can be replaced but not deleted. Page 05 §15.6. */
export const dataRule: TransactionRule<DataTransaction> = {
  fees: {
    1: perItemFee(100_000n, 100_000n, (tx) => extraKibibytes(bodyBytes(tx).length)),
    2: perItemFee(10_000_000n, 1_000_000n, (tx) => dataUnits(tx.data, LARGE_UNIT)),
    3: perItemFee(100_000_000n, 10_000_000n, (tx) => dataUnits(tx.data, LARGE_UNIT)),
    4: perItemFee(1_000_000n, 100_000n, (tx) => dataUnits(tx.data, LARGE_UNIT)),
    5: perItemFee(500n, 100n, (tx) => dataUnits(tx.data, SMALL_UNIT)),
  },
  effect(_view, tx, era) {
    // The protocol's other checks repeat static checks. Page 05 §15.6.
    if (era.cobaltAlloy && transactionBytes(tx).length > MAX_TRANSACTION_BYTES) {
      return genericError(`Max bytes of ${MAX_TRANSACTION_BYTES} reached`);
    }
    return senderEffect(tx.senderAddress, {
      kind: "data",
      address: tx.senderAddress,
      entries: tx.data,
    });
  },
};
