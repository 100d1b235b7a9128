import type { Expression } from "../expression.ts";
import { nativeFunctions, objectTypes, userFunctionsOf } from "../library/library.ts";
import { transactionValue } from "../values/transaction-value.ts";
import type { ScriptTransaction } from "../values/transaction-view.ts";
import { TextBudget, valueText } from "../values/value-text.ts";
import { unit, type Value } from "../values/values.ts";
import { type EvaluationContext, evaluate, type LogEntry } from "./evaluator.ts";
import type { ScriptWork } from "./work.ts";

export interface ScriptEnvironment {
  readonly transaction: ScriptTransaction;
  readonly height: number;
  /** Unsigned byte. */
  readonly chainId: number;
  /** Only the transaction pool limits work. Default: unlimited. */
  readonly work?: ScriptWork | undefined;
  /** Called when the script reads `height`. Without a call, the verdict is the same at every height. */
  readonly onHeight?: (() => void) | undefined;
}

/** An element of `vars` in script error responses. Page 08 §17.4. */
export type ScriptVar =
  | { readonly name: string; readonly value: string }
  | { readonly name: string; readonly error: string };

export type ScriptVerdict =
  | { readonly outcome: "allowed" }
  /** The script returned false: `TransactionNotAllowedByScript`. */
  | { readonly outcome: "refused"; vars(): readonly ScriptVar[] }
  /** Reported as `ScriptExecutionError`. */
  | { readonly outcome: "error"; readonly error: string; vars(): readonly ScriptVar[] }
  /** An exception of the reference, with its class. Page 08 §16.3. */
  | { readonly outcome: "exception"; readonly exception: string }
  /** The script reached its work limit. */
  | { readonly outcome: "used up" };

/** Throws only on a bug. Page 08 §13, §16.1. */
export function evaluateScript(
  script: { readonly expression: Expression },
  environment: ScriptEnvironment,
): ScriptVerdict {
  const result = evaluate(script.expression, evaluationContext(environment));
  if ("isWorkUsedUp" in result) return { outcome: "used up" };
  if ("exception" in result) return { outcome: "exception", exception: result.exception };
  const vars = () => logTexts(result.log);
  if ("error" in result) return { outcome: "error", error: result.error, vars };
  if (result.value === true) return { outcome: "allowed" };
  if (result.value === false) return { outcome: "refused", vars };
  const exception = "java.lang.ClassCastException: the script's value is not a Boolean";
  return { outcome: "exception", exception };
}

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

/** Limits of `TextBudget` for a value and for a log. */
const MAX_VALUE_WORK = 2 ** 19;
const MAX_LOG_WORK = 2 ** 20;
const TRUNCATED = "…";

export function logTexts(log: readonly LogEntry[]): ScriptVar[] {
  let workLeft = MAX_LOG_WORK;
  return log.map((entry) => {
    const value = "error" in entry ? entry.error : entry.value;
    const maxWork = Math.min(workLeft, MAX_VALUE_WORK);
    const budget = new TextBudget(maxWork);
    const text = valueText(value, maxWork, budget) ?? TRUNCATED;
    workLeft -= maxWork - Math.max(budget.workLeft, 0);
    const { name } = entry;
    return "error" in entry ? { name, error: text } : { name, value: text };
  });
}
