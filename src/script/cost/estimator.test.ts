import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SeededRandom } from "../../testing/seeded-random.ts";
import { compileScript } from "../compile/compile.ts";
import { ScriptParseError } from "../errors.ts";
import { type Expression, headerText } from "../expression.ts";
import { functionCost, GLOBAL_NAMES } from "../library/library.ts";
import { estimate, MAX_WORK } from "./estimator.ts";
import { memoizedCost } from "./estimator-memoized.ts";
import { plainCost } from "./estimator-plain.ts";
import type { EstimatorContext } from "./estimator-program.ts";
import { estimatorProgram } from "./estimator-program.ts";

const context: EstimatorContext = { names: GLOBAL_NAMES, cost: functionCost };

type State = ReadonlyMap<string, { readonly value: Expression | undefined; readonly used: boolean }>;

/** Applies the rules of page 08 §12 literally, recursively and in exponential time. Returns the cost and the new state. */
function literalCost(expression: Expression, state: State): [cost: number, state: State] {
  switch (expression.kind) {
    case "getter": {
      const [cost, after] = literalCost(expression.object, state);
      return [cost + 2, after];
    }
    case "block": {
      const entry = { value: expression.value, used: false };
      const [cost, after] = literalCost(expression.body, new Map(state).set(expression.name, entry));
      return [cost + 5, after];
    }
    case "ref": {
      const entry = state.get(expression.name);
      if (entry === undefined) throw new Error(`ScriptValidator: Undeclared variable '${expression.name}'`);
      if (entry.used || entry.value === undefined) return [2, state];
      const [cost, after] = literalCost(
        entry.value,
        new Map(state).set(expression.name, { ...entry, used: true }),
      );
      return [cost + 2, after];
    }
    case "if": {
      const [condition, after] = literalCost(expression.condition, state);
      const [whenTrue, afterTrue] = literalCost(expression.whenTrue, after);
      const [whenFalse, afterFalse] = literalCost(expression.whenFalse, after);
      return whenTrue > whenFalse
        ? [condition + whenTrue + 1, afterTrue]
        : [condition + whenFalse + 1, afterFalse];
    }
    case "call": {
      const callCost = functionCost(expression.header);
      if (callCost === undefined) {
        throw new Error(`ScriptValidator: Unknown function '${headerText(expression.header)}'`);
      }
      let sum = callCost;
      let after = state;
      for (const argument of expression.arguments) {
        const [cost, next] = literalCost(argument, after);
        sum += cost;
        after = next;
      }
      return [sum, after];
    }
    default:
      return [1, state];
  }
}

function outcome(action: () => number | undefined): number | string | undefined {
  try {
    return action();
  } catch (error) {
    return (error as Error).message;
  }
}

/** Returns a random tree of lets, uses and branches with only four names, so that their states vary. */
function randomTree(random: SeededRandom, fuel: number): Expression {
  const name = () => random.pick(["a", "b", "c", "d"]);
  if (fuel < 2) return random.chance(80) ? { kind: "ref", name: name() } : { kind: "boolean", value: true };
  const [third, half] = [Math.floor((fuel - 1) / 3), Math.floor((fuel - 1) / 2)];
  const tree = (share: number) => randomTree(random, share);
  return random.pick<() => Expression>([
    () => ({ kind: "if", condition: tree(third), whenTrue: tree(third), whenFalse: tree(third) }),
    () => ({ kind: "if", condition: tree(1), whenTrue: tree(half), whenFalse: tree(half) }),
    () => ({ kind: "block", name: name(), value: tree(half), body: tree(half) }),
    () => ({ kind: "block", name: name(), value: tree(half), body: tree(half) }),
    () => ({
      kind: "call",
      header: random.pick([
        { kind: "native", id: 0 },
        { kind: "native", id: 203 },
        { kind: "native", id: 9 },
      ] as const),
      arguments: [tree(half), tree(half)],
    }),
    () => ({ kind: "getter", object: tree(fuel - 1), field: "f" }),
  ])();
}

it("estimates the same costs as the literal rules", () => {
  const start: State = new Map(GLOBAL_NAMES.map((name) => [name, { value: undefined, used: true }]));
  let costs = 0;
  fc.assert(
    fc.property(fc.integer(), fc.integer({ min: 1, max: 60 }), (seed, fuel) => {
      let tree = randomTree(new SeededRandom(seed), fuel);
      // Declares all names, so that most trees have a cost.
      for (const name of ["a", "b", "c", "d"]) {
        tree = {
          kind: "block",
          name,
          value: randomTree(new SeededRandom(seed + name.length), 8),
          body: tree,
        };
      }
      const expected = outcome(() => literalCost(tree, start)[0]);
      expect(outcome(() => estimate(tree, context))).toBe(expected);
      const program = estimatorProgram(tree, context);
      expect(outcome(() => plainCost(program, MAX_WORK))).toBe(expected);
      expect(outcome(() => memoizedCost(program, { initial: MAX_WORK, max: MAX_WORK }))).toBe(expected);
      if (typeof expected === "number") costs++;
    }),
    { seed: 12, numRuns: 3_000 },
  );
  expect(costs).toBeGreaterThan(500);
});

/** Returns a chain of lets with many states, in which each value uses earlier ones in several ways. */
function branchingChain(random: SeededRandom, links: number): Expression {
  const ref = (name: string): Expression => ({ kind: "ref", name });
  const both = (a: Expression, b: Expression): Expression => ({
    kind: "call",
    header: { kind: "native", id: 0 },
    arguments: [a, b],
  });
  const pick = (below: number): Expression =>
    below === 0 ? { kind: "boolean", value: true } : ref(`x${Math.max(0, below - 1 - random.below(4))}`);
  let tree = ref(`x${links - 1}`);
  for (let i = links - 1; i >= 0; i--) {
    const value: Expression = random.chance(60)
      ? {
          kind: "if",
          condition: pick(i),
          whenTrue: both(pick(i), pick(i)),
          whenFalse: random.chance(50)
            ? pick(i)
            : both(pick(i), { kind: "getter", object: pick(i), field: "f" }),
        }
      : both(pick(i), pick(i));
    tree = { kind: "block", name: `x${i}`, value, body: tree };
  }
  return tree;
}

it("estimates the same costs for values that are visited thousands of times in different states", () => {
  const start: State = new Map(GLOBAL_NAMES.map((name) => [name, { value: undefined, used: true }]));
  for (let seed = 0; seed < 150; seed++) {
    const tree = branchingChain(new SeededRandom(seed), 14);
    const expected = literalCost(tree, start)[0];
    const program = estimatorProgram(tree, context);
    expect(plainCost(program, MAX_WORK)).toBe(expected);
    expect(memoizedCost(program, { initial: MAX_WORK, max: MAX_WORK })).toBe(expected);
  }
});

it("does not exceed its work limit", () => {
  const program = estimatorProgram(branchingChain(new SeededRandom(1), 14), context);
  const enough = [...Array(24).keys()].map((i) => plainCost(program, 2 ** i) !== undefined).indexOf(true);
  expect(enough).toBeGreaterThan(5);
  expect(plainCost(program, 2 ** (enough - 1))).toBeUndefined();
  expect(memoizedCost(program, { initial: 10, max: 20 })).toBeUndefined();
});

describe("scripts with exponential work in a naive estimate", () => {
  it("have a cost for a chain of ifs that each use the previous one twice", () => {
    const chain = (length: number) => {
      const links = Array.from({ length }, (_, i) => `let x${i + 1} = if c then x${i} else x${i}`);
      return compileScript(["let c = height > 1", "let x0 = 1 == 1", ...links, `x${length}`].join("\n"));
    };
    // By page 08 §12, each link costs 10 more than the previous one.
    expect(chain(21)).toMatchObject({ ok: true, value: { complexity: 229 } });
    expect(chain(190)).toMatchObject({
      ok: true,
      value: { complexity: 229 + (190 - 21) * 10 },
    });
  });

  it("have a cost if each link of the chain leaves a different state", () => {
    const links = Array.from(
      { length: 40 },
      (_, i) => `let a${i} = 1 == 1\nlet b${i} = 1 == 1
        let x${i + 1} = if height > 1 then a${i} == x${i} else b${i} == x${i}`,
    );
    expect(compileScript(`let x0 = 1 == 1\n${links.join("\n")}\nx40`)).toMatchObject({
      ok: true,
      value: { complexity: 1130 },
    });
  });

  it("are rejected in bounded time if they encode a combinatorial problem", () => {
    const numbers = Array.from({ length: 28 }, (_, i) => i);
    const lets = numbers.map((i) => `let a${i} = 1 == 1\nlet b${i} = 1 == 1`);
    const clauses = numbers.map((i) => `(if a${i} then b${(i * 7 + 3) % 28} else b${(i * 5 + 1) % 28})`);
    const links = numbers.map((i) => `let x${i + 1} = if height > 1 then a${i} == x${i} else b${i} == x${i}`);
    const source = [...lets, `let x0 = ${clauses.join(" && ")}`, ...links, "x28"].join("\n");
    expect(compileScript(source)).toEqual({
      ok: false,
      error: `Script is too complex: estimating it takes more than ${MAX_WORK} steps`,
    });
  });
});

it("reports an unknown function before errors in its arguments, and none in unused values", () => {
  const unknown: Expression = { kind: "ref", name: "nowhere" };
  const call: Expression = { kind: "call", header: { kind: "native", id: 9 }, arguments: [unknown] };
  expect(() => estimate(call, context)).toThrow(
    new ScriptParseError("ScriptValidator: Unknown function 'Native(9)'"),
  );
  const unused: Expression = {
    kind: "block",
    name: "x",
    value: call,
    body: { kind: "boolean", value: true },
  };
  expect(estimate(unused, context)).toBe(6);
});
