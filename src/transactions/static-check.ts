import { int8 } from "../bytes/int64.ts";
import type { NetworkRules } from "./base.ts";
import { type ValidationError, validationError } from "./errors.ts";
import { definitionOf, type Transaction } from "./registry.ts";

/** The first violated static rule, in the protocol's order. Page 02 §7, page 05 §11. */
export function staticCheck(tx: Transaction, network: NetworkRules): ValidationError | undefined {
  const definition = definitionOf(tx);
  if (!definition.layouts.has(tx.version)) return validationError("UnsupportedVersion", tx.version);
  if (tx.chainId !== network.chainId) return validationError("WrongChainId", int8(tx.chainId));
  for (const check of definition.checks) {
    const error = check(tx);
    if (error !== undefined) return error;
  }
  return undefined;
}
