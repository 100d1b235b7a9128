/** Page 08 §15. */
import type { Result } from "../errors/result.ts";
import { compileScript, type Script, type ScriptTransaction } from "../script/index.ts";
import { TRANSACTION_TYPES } from "../script/values/object-types.ts";
import type { ObjectType } from "../script/values/types.ts";
import { bodyBytes, transactionId } from "./codec.ts";
import { definitionOf, definitions, type Transaction } from "./registry.ts";

const addedTypes: readonly ObjectType[] = definitions
  .map(({ script }) => script?.objectType)
  .filter((type) => type !== undefined)
  .filter((type) => !TRANSACTION_TYPES.includes(type));

/** Compiles like `/utils/script/compile`, with all visible types of `tx`. */
export function compileAccountScript(source: string): Result<Script, string> {
  return compileScript(source, addedTypes);
}

/** Getters compute their values when read. */
export function scriptView(transaction: Transaction): ScriptTransaction {
  return {
    transaction,
    get typeFields() {
      const { script } = definitionOf(transaction);
      return script && { type: script.objectType, values: script.ownValues(transaction) };
    },
    get id() {
      return transactionId(transaction);
    },
    get bodyBytes() {
      return bodyBytes(transaction);
    },
  };
}
