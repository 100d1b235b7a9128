/** Minimum fee and effective fee. Page 05 §12. */
import type { Transaction } from "../transactions/index.ts";
import type { Era } from "./era.ts";
import { ruleOf } from "./registry.ts";

/** The least fee a transaction must offer, in units; undefined for a type without a rule in the era's schedule. */
export function minimumFee(transaction: Transaction, era: Era): bigint | undefined {
  const minimum = ruleOf(transaction).fees[era.feeSchedule];
  if (minimum === undefined) return undefined;
  const amount = minimum(transaction);
  return era.feeSchedule === 5 ? amount * era.feePrice : amount;
}

/**
 * What the payer is charged: from Juicy on the minimum, whatever was offered; before that the fee offered.
 * @param minimum what `minimumFee` gives
 */
export function effectiveFee(
  transaction: Transaction,
  era: Era,
  minimum: bigint | undefined = minimumFee(transaction, era),
): bigint {
  return era.juicy ? (minimum ?? transaction.fee) : transaction.fee;
}
