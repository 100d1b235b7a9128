import { Feature } from "../../profiles/features.ts";
import type { TransactionBase } from "../base.ts";
import { amountAndFeeFit, amountPositive, feePositive } from "../checks.ts";
import { defineTransaction, since } from "../define.ts";
import { amount } from "../fields.ts";
import { standard } from "../layout.ts";

/** Destroys tokens. Page 02 §10.13. */
export interface BurnTransaction extends TransactionBase {
  readonly type: 21;
  readonly amount: bigint;
}

export const burn = defineTransaction<BurnTransaction>({
  type: 21,
  name: "burn",
  className: "Burn",
  versions: { 3: since(Feature.Juicy) },
  fields: { amount: amount(1n) },
  layouts: { 3: standard("amount") },
  portfolio: true,
  groups: ["burn", "all_transfers"],
  burnedAmount: (tx) => tx.amount,
  checks: [amountAndFeeFit, feePositive, amountPositive],
});
