/** Work of runs: counted in advance and limited. */
import { describe, expect, it } from "vitest";
import { compileScript } from "../compile/compile.ts";
import type { Expression } from "../expression.ts";
import { nativeFunctions, objectTypes, userFunctionsOf } from "../library/library.ts";
import { unit, type Value } from "../values/values.ts";
import { evaluate } from "./evaluator.ts";
import { ScriptWork, WorkLimitError } from "./work.ts";

const MILLISECOND = 1_000_000;

/** Runs a source and counts the applications of memoized functions. */
function run(source: string, maxPerRun?: number) {
  const compiled = compileScript(source);
  if (!compiled.ok) throw new Error(compiled.error);
  return runTree(compiled.value.expression, maxPerRun);
}

function runTree(expression: Expression, maxPerRun?: number) {
  let applied = 0;
  const natives = new Map(
    [...nativeFunctions].map(([id, callee]) => [
      id,
      {
        ...callee,
        apply(...args: Parameters<typeof callee.apply>) {
          applied += callee.isMemoized ? 1 : 0;
          return callee.apply(...args);
        },
      },
    ]),
  );
  const variables = new Map<string, () => Value>([
    ["unit", () => unit],
    ["height", () => 7n],
  ]);
  const work = new ScriptWork(maxPerRun);
  const context = { variables, natives, users: userFunctionsOf(0x54), constructors: objectTypes, work };
  return { result: evaluate(expression, context), used: work.used, applied };
}

/** Returns a source with 65,536 bytes as `m16` and `count` hashes of different parts of them. */
function hashes(count: number): string {
  const doubled = Array.from({ length: 16 }, (_, i) => `let m${i + 1} = m${i} + m${i}`);
  const terms = Array.from({ length: count }, (_, i) => `size(keccak256(drop(m16, ${i}))) == 32`);
  return [`let m0 = base58'2'`, ...doubled, terms.join(" && ")].join("\n");
}

describe("a run", () => {
  it("is charged for hashed bytes, regardless of the estimated cost of the calls", () => {
    const { result, used, applied } = run(hashes(30));
    expect(result).toMatchObject({ value: true });
    expect(applied).toBe(30);
    // Hashing 30 times 65,536 bytes takes about 6 ms.
    expect(used).toBeGreaterThan(5 * MILLISECOND);
    expect(used).toBeLessThan(10 * MILLISECOND);
  });

  it("ends with a separate outcome before the call that exceeds its work limit", () => {
    const { result, applied } = run(hashes(30), MILLISECOND);
    expect(result).toMatchObject({ isWorkUsedUp: true });
    expect(applied).toBe(4);
  });

  it("is not charged for cached results", () => {
    const once = run(`${hashes(0)}\nkeccak256(m16) == keccak256(m16)`);
    expect(once.applied).toBe(1);
    expect(once.used).toBeLessThan(0.5 * MILLISECOND);
  });

  it("is charged for one signature if the script verifies one", () => {
    const key = `base58'D62xz7rcfyBxyYU6AXieaFWgq6egZ9GCykTD2EVGGiG9'`;
    const signature = `(${Array.from({ length: 64 }, () => "base58'2'").join(" + ")})`;
    const { used } = run(`sigVerify(base58'2', ${signature}, ${key})`);
    expect(used).toBeGreaterThan(80_000);
    expect(used).toBeLessThan(200_000);
  });

  it("is charged for comparisons", () => {
    const doubled = hashes(1).split("\n").slice(0, -1).join("\n");
    const { used } = run(`${doubled}\nlet n = m15 + m15\nm16 == n`);
    const { used: without } = run(`${doubled}\nlet n = m15 + m15\nsize(m16) == size(n)`);
    expect(used - without).toBeGreaterThan(5_000);
  });

  it("is charged for each name skipped in a lookup", () => {
    const within = (count: number): Expression => {
      let tree: Expression = { kind: "ref", name: "x" };
      for (let i = 0; i < count; i++)
        tree = { kind: "block", name: `n${i}`, value: { kind: "boolean", value: true }, body: tree };
      return { kind: "block", name: "x", value: { kind: "boolean", value: true }, body: tree };
    };
    const [near, far] = [runTree(within(1)).used, runTree(within(501)).used];
    // Each let adds a step.
    expect(far - near).toBeGreaterThan(500 * 100);
    expect(far - near).toBe(500 * 103);
  });
});

describe("a work counter", () => {
  it("limits each run separately and adds up their work", () => {
    const work = new ScriptWork(10);
    work.charge(9);
    work.beginRun();
    work.charge(10);
    expect(() => work.charge(1)).toThrow(WorkLimitError);
    work.beginRun();
    work.charge(10);
    expect(work.used).toBe(30);
  });

  it("is unlimited by default", () => {
    const work = new ScriptWork();
    work.charge(1e15);
    expect(work.used).toBe(1e15);
  });
});
