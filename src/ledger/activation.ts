/** Checks that a transaction's version is active. Page 05 §10.4. */
import { className, definitionOf, type Transaction } from "../transactions/index.ts";
import type { Era } from "./era.ts";
import { type Refusal, refuse } from "./refusal.ts";

export function checkActivation(transaction: Transaction, era: Era): Refusal | undefined {
  const activation = definitionOf(transaction).versions.get(transaction.version);
  if (activation === undefined) {
    return refuse("ActivationError", `${describe(transaction)} must be explicitly activated`);
  }
  const { since, until } = activation;
  if (until !== undefined && era.isActive(until)) {
    return refuse("NotActivated", `${describe(transaction)} has been deactivated`);
  }
  if (since !== undefined && !era.isActive(since)) {
    return refuse("NotActivated", `${describe(transaction)} has not been activated yet`);
  }
  return undefined;
}

function describe({ type, version }: Transaction): string {
  return `Version ${version} of ${className(type)} (tx type ${type})`;
}
