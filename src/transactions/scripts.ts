/** Connects transactions with the script language. Page 08 §15. */
import type { Result } from "../errors/result.ts";
import { compileScript, type Script, type ScriptTransaction } from "../script/index.ts";
import { TRANSACTION_TYPES } from "../script/values/object-types.ts";
import type { ObjectType } from "../script/values/types.ts";
import { bodyBytes, transactionId } from "./codec.ts";
import { definitionOf, definitions, type Transaction } from "./registry.ts";

/** Object types that the first version of the language does not have. */
const newTypes: readonly ObjectType[] = definitions
  .map(({ script }) => script?.objectType)
  .filter((type) => type !== undefined)
  .filter((type) => !TRANSACTION_TYPES.includes(type));

/** Compiles source text as `/utils/script/compile` does. `tx` may have any type that scripts can see. */
export function compileAccountScript(source: string): Result<Script, string> {
  return compileScript(source, newTypes);
}

/** Returns the script's view of a transaction. Its getters compute on access. */
export function scriptView(transaction: Transaction): ScriptTransaction {
  return {
    transaction,
    get own() {
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
