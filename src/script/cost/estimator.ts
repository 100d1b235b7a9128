/** Static cost estimate, which decides whether a script is valid. Page 08 §12. */
import { ScriptParseError } from "../errors.ts";
import type { Expression } from "../expression.ts";
import type { Estimate } from "./estimate-cache.ts";
import { memoizedCost, type WorkLimits } from "./estimator-memoized.ts";
import { plainCost } from "./estimator-plain.ts";
import { type EstimatorContext, type EstimatorProgram, estimatorProgram } from "./estimator-program.ts";

/**
 * Work limit of the plain estimator: uses, lets and branches visited, and names changed. Scripts within it get exactly the
 * verdict of the rules; others are rejected unless memoization suffices. A limit is necessary: the rules re-estimate a
 * value for each branch that uses it first, so work is exponential, and the cost as hard to find as satisfying a formula.
 */
export const MAX_WORK = 2 ** 24;
/** Work of the first, plain attempt; enough for human-written scripts. */
const FIRST_PASS_WORK = 2 ** 16;
/** Work of the memoizing estimator, tried before the full plain one. */
const MEMOIZED_WORK: WorkLimits = { first: 2 ** 18, most: 2 ** 22 };

/**
 * Returns a tree's cost.
 * @param remembered finds or computes the result for this tree; called only for slow estimates
 * @throws ScriptParseError for unknown names and functions, or too much work
 */
export function estimate(
  expression: Expression,
  context: EstimatorContext,
  remembered: (find: () => Estimate) => Estimate = (find) => find(),
): number {
  const program = estimatorProgram(expression, context);
  const result = plainCost(program, FIRST_PASS_WORK) ?? remembered(() => slowEstimate(program));
  if (typeof result === "number") return result;
  throw result;
}

function slowEstimate(program: EstimatorProgram): Estimate {
  try {
    const cost = memoizedCost(program, MEMOIZED_WORK) ?? plainCost(program, MAX_WORK);
    if (cost !== undefined) return cost;
  } catch (error) {
    if (error instanceof ScriptParseError) return error;
    throw error;
  }
  return new ScriptParseError(`Script is too complex: estimating it takes more than ${MAX_WORK} steps`);
}
