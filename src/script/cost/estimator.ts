/** The cost of a script: a static walk that decides whether the script is accepted at all. Page 08 §12. */
import { ScriptParseError } from "../errors.ts";
import type { Expression } from "../expression.ts";
import type { Estimate } from "./estimate-cache.ts";
import { memoizedCost, type WorkLimits } from "./estimator-memoized.ts";
import { plainCost } from "./estimator-plain.ts";
import { type EstimatorContext, type EstimatorProgram, estimatorProgram } from "./estimator-program.ts";

/**
 * Work that the plain walk may do: uses, lets and branches walked, each time counted, and names changed.
 * Whatever can be estimated with so much work gets exactly the verdict of the rules. What takes more is refused, unless
 * keeping results makes it feasible: the rules make the walk exponential when it is done as they read, since the value
 * of a name is estimated anew for each branch that uses it first, and finding the cost is as hard as satisfying a
 * formula, so that some limit must be.
 */
export const MAX_WORK = 2 ** 24;
/** Work of the plain walk that is tried first: all that people write takes less. */
const FIRST_PASS_WORK = 2 ** 16;
/** Work of the walk that keeps results, before the plain walk is tried to its end. */
const MEMOIZED_WORK: WorkLimits = { first: 2 ** 18, most: 2 ** 22 };

/**
 * Cost of a tree.
 * @param remembered gives what was found before about this very tree, or finds it: asked only where that takes long
 * @throws ScriptParseError for unknown names and functions, and when the estimate takes too much work
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
