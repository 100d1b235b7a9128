/** Running an account's script on a transaction. Page 08 §13, §16.1. */
import { type EvaluationContext, evaluate, type LogEntry } from "./evaluator.ts";
import type { Expression } from "./expression.ts";
import { nativeFunctions, objectTypes, userFunctionsOf } from "./library.ts";
import { transactionValue } from "./transaction-value.ts";
import type { ScriptTransaction } from "./transaction-view.ts";
import { valueText } from "./value-text.ts";
import { unit, type Value } from "./values.ts";

/** What a run needs beside the script. */
export interface ScriptEnvironment {
  readonly transaction: ScriptTransaction;
  /** Value of `height`. */
  readonly height: number;
  /** Chain id as an unsigned byte: what the address functions make and accept. */
  readonly chainId: number;
}

/** A line of `vars` in a script error's answer. Page 08 §17.4. */
export type ScriptVar =
  | { readonly name: string; readonly value: string }
  | { readonly name: string; readonly error: string };

/** What a script says of a transaction. Page 08 §16.1. */
export type ScriptVerdict =
  | { readonly outcome: "allowed" }
  /** The script says false: `TransactionNotAllowedByScript`. */
  | { readonly outcome: "refused"; vars(): readonly ScriptVar[] }
  /** `ScriptExecutionError`. */
  | { readonly outcome: "error"; readonly error: string; vars(): readonly ScriptVar[] }
  /** An exception of the reference, with its class; the transaction is invalid. Page 08 §16.3. */
  | { readonly outcome: "exception"; readonly exception: string };

/** Runs a script (only its tree is looked at) on a transaction. Throws only on a bug. */
export function evaluateScript(
  script: { readonly expression: Expression },
  environment: ScriptEnvironment,
): ScriptVerdict {
  const result = evaluate(script.expression, evaluationContext(environment));
  if ("exception" in result) return { outcome: "exception", exception: result.exception };
  const vars = () => logTexts(result.log);
  if ("error" in result) return { outcome: "error", error: result.error, vars };
  if (result.value === true) return { outcome: "allowed" };
  if (result.value === false) return { outcome: "refused", vars };
  const exception = "java.lang.ClassCastException: the script's value is no Boolean";
  return { outcome: "exception", exception };
}

/** The full context of page 08 §7. */
function evaluationContext({ transaction, height, chainId }: ScriptEnvironment): EvaluationContext {
  const variables = new Map<string, () => Value>([
    ["tx", () => transactionValue(transaction)],
    ["height", () => BigInt(height)],
    ["unit", () => unit],
  ]);
  return {
    variables,
    natives: nativeFunctions,
    users: userFunctionsOf(chainId),
    constructors: objectTypes,
  };
}

/** UTF-16 units that the text of one value may have. The largest that real transactions lead to are far below. */
const MAX_VALUE_LENGTH = 2 ** 20;
/** UTF-16 units that the texts of one log may have together. */
const MAX_LOG_LENGTH = 2 ** 23;
const CUT = "…";

/**
 * The log as texts, for error answers. A text that would be too long is cut: scripts can make values that have texts
 * without end. Such a text counts as the longest that may be, for so much work went into it.
 */
export function logTexts(log: readonly LogEntry[]): ScriptVar[] {
  let left = MAX_LOG_LENGTH;
  return log.map((entry) => {
    const limit = Math.max(Math.min(left, MAX_VALUE_LENGTH), 0);
    const text = "error" in entry ? shorterThan(entry.error, limit) : valueText(entry.value, limit);
    left -= text?.length ?? limit;
    const { name } = entry;
    return "error" in entry ? { name, error: text ?? CUT } : { name, value: text ?? CUT };
  });
}

function shorterThan(text: string, limit: number): string | undefined {
  return text.length > limit ? undefined : text;
}
