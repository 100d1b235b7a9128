import type { StatementTransaction } from "../../transactions/types/statement.ts";
import { Deltas } from "../account.ts";
import { effect } from "../effect.ts";
import { dataUnits, LARGE_UNIT, perItemFee, SMALL_UNIT, type TransactionRule } from "../transaction-rule.ts";

/** Publishes a statement, which is also listed for its recipient. The state does not store it. Page 05 §15.14. */
export const statementRule: TransactionRule<StatementTransaction> = {
  fees: {
    4: perItemFee(1_000_000n, 100_000n, (tx) => dataUnits(tx.data, LARGE_UNIT)),
    5: perItemFee(500n, 100n, (tx) => dataUnits(tx.data, SMALL_UNIT)),
  },
  effect(_view, tx) {
    const deltas = new Deltas().add(tx.senderAddress, 0n);
    if (tx.recipient !== undefined) deltas.add(tx.recipient, 0n);
    return effect(deltas);
  },
};
