/** Running an account's script on a transaction. Page 08 §13, §16.1. */

import type { Expression } from "../expression.ts";
import { nativeFunctions, objectTypes, userFunctionsOf } from "../library/library.ts";
import { transactionValue } from "../values/transaction-value.ts";
import type { ScriptTransaction } from "../values/transaction-view.ts";
import { TextBudget, valueText } from "../values/value-text.ts";
import { unit, type Value } from "../values/values.ts";
import { type EvaluationContext, evaluate, type LogEntry } from "./evaluator.ts";
import type { ScriptWork } from "./work.ts";

/** What a run needs beside the script. */
export interface ScriptEnvironment {
  readonly transaction: ScriptTransaction;
  /** Value of `height`. */
  readonly height: number;
  /** Chain id as an unsigned byte: what the address functions make and accept. */
  readonly chainId: number;
  /** Counts the work, and bounds it: for the pool only. Without it nothing does. */
  readonly work?: ScriptWork | undefined;
  /** Called when the script reads `height`: what it says without holds at every height. */
  readonly onHeight?: (() => void) | undefined;
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
  | { readonly outcome: "exception"; readonly exception: string }
  /** It takes more work than it was given, and so has said nothing. Never without a bound. */
  | { readonly outcome: "used up" };

/** Runs a script (only its tree is looked at) on a transaction. Throws only on a bug. */
export function evaluateScript(
  script: { readonly expression: Expression },
  environment: ScriptEnvironment,
): ScriptVerdict {
  const result = evaluate(script.expression, evaluationContext(environment));
  if ("usedUp" in result) return { outcome: "used up" };
  if ("exception" in result) return { outcome: "exception", exception: result.exception };
  const vars = () => logTexts(result.log);
  if ("error" in result) return { outcome: "error", error: result.error, vars };
  if (result.value === true) return { outcome: "allowed" };
  if (result.value === false) return { outcome: "refused", vars };
  const exception = "java.lang.ClassCastException: the script's value is no Boolean";
  return { outcome: "exception", exception };
}

/** The full context of page 08 §7. */
function evaluationContext(environment: ScriptEnvironment): EvaluationContext {
  const { transaction, height, chainId, work, onHeight } = environment;
  const readHeight = () => {
    onHeight?.();
    return BigInt(height);
  };
  const variables = new Map<string, () => Value>([
    ["tx", () => transactionValue(transaction)],
    ["height", readHeight],
    ["unit", () => unit],
  ]);
  const users = userFunctionsOf(chainId);
  return { variables, natives: nativeFunctions, users, constructors: objectTypes, work };
}

/** Work for the text of one value. The largest that real transactions lead to take far less. */
const MAX_VALUE_WORK = 2 ** 19;
/** Work for the texts of one log together. */
const MAX_LOG_WORK = 2 ** 20;
const CUT = "…";

/**
 * The log as texts, for error answers. A text that would be too long, or for which no work is left, is cut: scripts can
 * make values that have texts without end.
 */
export function logTexts(log: readonly LogEntry[]): ScriptVar[] {
  let left = MAX_LOG_WORK;
  return log.map((entry) => {
    const value = "error" in entry ? entry.error : entry.value;
    const given = Math.min(left, MAX_VALUE_WORK);
    const work = new TextBudget(given);
    const text = valueText(value, given, work) ?? CUT;
    left -= given - Math.max(work.left, 0);
    const { name } = entry;
    return "error" in entry ? { name, error: text } : { name, value: text };
  });
}
