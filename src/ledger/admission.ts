import { type Transaction, typeName } from "../transactions/index.ts";
import type { Era } from "./era.ts";
import { minimumFee } from "./fees.ts";
import { type Refusal, refuse } from "./refusal.ts";
import { ruleOf } from "./registry.ts";
import type { LedgerView } from "./state.ts";
import type { RequestView } from "./transaction-rule.ts";
import { type Outcome, type ValidationContext, validateTransaction } from "./validate.ts";

/**
 * Checks the declared fee for the pool. The refusal has another text than in blocks, and no prefix (page 05 §24.2, step
 * 3).
 */
export function checkPoolFee(transaction: Transaction, era: Era): Refusal | undefined {
  const minimum = minimumFee(transaction, era);
  if (minimum === undefined) return refuse("UnsupportedTransactionType");
  if (transaction.fee >= minimum) return undefined;
  const start = `Fee for ${typeName(transaction.type)} transaction (${transaction.fee})`;
  return refuse("InsufficientFee", `${start} does not exceed minimal value of ${minimum}`);
}

/** Validates a transaction for the pool, after the static checks. Page 05 §24.2, steps 3 and 4. */
export function admitToPool(
  view: LedgerView,
  transaction: Transaction,
  context: ValidationContext,
): Outcome | Refusal {
  return checkPoolFee(transaction, context.era) ?? validateTransaction(view, transaction, context);
}

/** Makes the checks that apply only to requests of the REST interface. Page 05 §22.4. */
export function checkRequest(view: RequestView, transaction: Transaction): Refusal | undefined {
  return ruleOf(transaction).refuseRequest?.(view, transaction);
}
