import { ScriptParseError } from "../errors.ts";
import { type Expression, TRUE } from "../expression.ts";
import { estimate } from "./estimator.ts";
import type { EstimatorContext } from "./estimator-program.ts";

/** Further `if`s get no costs. */
const MAX_IFS = 30;

type If = Extract<Expression, { kind: "if" }>;

interface Parent {
  readonly parent: Parent | undefined;
  /** Returns the parent with another child. Of an `if`, only the child's branch remains. */
  rebuild(child: Expression): Expression;
}

interface Place {
  readonly node: Expression;
  readonly parent: Parent | undefined;
}

export interface BranchCosts {
  readonly whenTrue: number | undefined;
  readonly whenFalse: number | undefined;
}

const withTrue = (node: If, whenTrue: Expression): Expression => ({ ...node, whenTrue, whenFalse: TRUE });
const withFalse = (node: If, whenFalse: Expression): Expression => ({ ...node, whenTrue: TRUE, whenFalse });

function childrenOf({ node, parent }: Place): Place[] {
  const child = (at: Expression, rebuild: Parent["rebuild"]): Place => ({
    node: at,
    parent: { parent, rebuild },
  });
  switch (node.kind) {
    case "getter":
      return [child(node.object, (object) => ({ ...node, object }))];
    case "block":
      return [
        child(node.value, (value) => ({ ...node, value })),
        child(node.body, (body) => ({ ...node, body })),
      ];
    case "if":
      return [
        child(node.condition, (condition) => ({ ...node, condition })),
        child(node.whenTrue, (branch) => withTrue(node, branch)),
        child(node.whenFalse, (branch) => withFalse(node, branch)),
      ];
    case "call":
      return node.arguments.map((argument, i) =>
        child(argument, (changed) => ({ ...node, arguments: node.arguments.with(i, changed) })),
      );
    default:
      return [];
  }
}

/**
 * Estimates the cost of a run through each branch of the first `MAX_IFS` `if`s: the cost of the script without the
 * other branch, and without the other branches of all `if`s around it. Undefined for a slow estimate.
 */
export function branchCosts(
  root: Expression,
  context: EstimatorContext,
): ReadonlyMap<Expression, BranchCosts> {
  const costs = new Map<Expression, BranchCosts>();
  const cost = (changed: Expression, { parent }: Place): number | undefined => {
    let script = changed;
    for (let up = parent; up !== undefined; up = up.parent) script = up.rebuild(script);
    try {
      return estimate(script, context, () => new ScriptParseError("Estimating takes too long"));
    } catch (error) {
      if (error instanceof ScriptParseError) return undefined;
      throw error;
    }
  };
  const pending: Place[] = [{ node: root, parent: undefined }];
  for (let place = pending.pop(); place !== undefined && costs.size < MAX_IFS; place = pending.pop()) {
    const { node } = place;
    if (node.kind === "if")
      costs.set(node, {
        whenTrue: cost(withTrue(node, node.whenTrue), place),
        whenFalse: cost(withFalse(node, node.whenFalse), place),
      });
    pending.push(...childrenOf(place).reverse());
  }
  return costs;
}
