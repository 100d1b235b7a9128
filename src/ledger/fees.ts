/** Page 05 §12. */
import type { Transaction } from "../transactions/index.ts";
import type { Era } from "./era.ts";
import { ruleOf } from "./registry.ts";

/** The minimum fee in units; undefined if the era's fee schedule refuses the type. */
export function minimumFee(transaction: Transaction, era: Era): bigint | undefined {
  const minimum = ruleOf(transaction).fees[era.feeSchedule];
  if (minimum === undefined) return undefined;
  const amount = minimum(transaction);
  return era.feeSchedule === 5 ? amount * era.feePrice : amount;
}

/** The minimum fee if Juicy is active and the type has one, otherwise the declared fee. */
export function effectiveFee(
  transaction: Transaction,
  era: Era,
  minimum: bigint | undefined = minimumFee(transaction, era),
): bigint {
  return era.juicy ? (minimum ?? transaction.fee) : transaction.fee;
}
