/** Page 08 §12. */
import { ScriptParseError } from "../errors.ts";
import type { Expression } from "../expression.ts";
import type { Estimate } from "./estimate-cache.ts";
import { memoizedCost, type WorkLimits } from "./estimator-memoized.ts";
import { plainCost } from "./estimator-plain.ts";
import { type EstimatorContext, type EstimatorProgram, estimatorProgram } from "./estimator-program.ts";

/**
 * Work limit of `plainCost`, which runs if memoization reaches its own limit. Scripts above both limits are rejected.
 */
export const MAX_WORK = 2 ** 24;
/** An estimate is slow above this work. */
const FIRST_PASS_WORK = 2 ** 16;
const MEMOIZED_WORK: WorkLimits = { initial: 2 ** 18, max: 2 ** 22 };

/**
 * @param getOrCompute returns the tree's cached or computed estimate; called only for slow estimates
 * @throws ScriptParseError for unknown names and functions, or too much work
 */
export function estimate(
  expression: Expression,
  context: EstimatorContext,
  getOrCompute: (compute: () => Estimate) => Estimate = (compute) => compute(),
): number {
  const program = estimatorProgram(expression, context);
  const result = plainCost(program, FIRST_PASS_WORK) ?? getOrCompute(() => slowEstimate(program));
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
