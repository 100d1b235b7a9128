/** Caching of function results within a run. */
import { describe, expect, it } from "vitest";
import type { Expression } from "../expression.ts";
import { nativeFunctions, objectTypes, userFunctionsOf } from "../library/library.ts";
import { unit, type Value } from "../values/values.ts";
import { evaluate } from "./evaluator.ts";

const ref = (name: string): Expression => ({ kind: "ref", name });
const native = (id: number, ...args: Expression[]): Expression => ({
  kind: "call",
  header: { kind: "native", id },
  arguments: args,
});
const bind = (name: string, value: Expression, body: Expression): Expression => ({
  kind: "block",
  name,
  value,
  body,
});
const long = (value: number): Expression => ({ kind: "long", value: BigInt(value) });
const addressCall = (...args: Expression[]): Expression => ({
  kind: "call",
  header: { kind: "user", name: "Address" },
  arguments: args,
});
const times = (count: number, expression: Expression) => Array.from({ length: count }, () => expression);

/** Runs a tree and counts the applications of each native function. */
function run(expression: Expression) {
  const applied = new Map<string, number>();
  const natives = new Map(
    [...nativeFunctions].map(([id, callee]) => [
      id,
      {
        ...callee,
        apply(...args: Parameters<typeof callee.apply>) {
          applied.set(callee.name, (applied.get(callee.name) ?? 0) + 1);
          return callee.apply(...args);
        },
      },
    ]),
  );
  const values: readonly [string, Value][] = [
    ["m", new Uint8Array(1_000)],
    ["k", new Uint8Array(32)],
    ["z", new Uint8Array(64)],
    ["t", "text"],
    ["unit", unit],
  ];
  const variables = new Map(values.map(([name, value]) => [name, () => value]));
  const result = evaluate(expression, {
    variables,
    natives,
    users: userFunctionsOf(0x54),
    constructors: objectTypes,
  });
  return { result, applied };
}

describe("a run", () => {
  it.each([
    ["keccak256", 501],
    ["blake2b256", 502],
    ["sha256", 503],
    ["toBase64String", 602],
  ])("computes %s of one value once, under any name", (name, id) => {
    const repeated = bind(
      "n",
      ref("m"),
      addressCall(...times(50, native(id, ref("m"))), native(id, ref("n"))),
    );
    const { applied } = run(repeated);
    expect(applied.get(name)).toBe(1);
  });

  it("computes a result for each different value or object", () => {
    const drop = (count: number) => native(202, ref("m"), long(count));
    const { applied, result } = run(
      bind(
        "n",
        drop(0),
        addressCall(...times(3, native(501, ref("n"))), native(501, ref("m")), native(501, drop(1))),
      ),
    );
    expect(applied.get("keccak256")).toBe(3);
    expect("value" in result).toBe(true);
  });

  it("verifies a signature once for the same message, signature and key", () => {
    const { applied } = run(
      addressCall(
        ...times(20, native(500, ref("m"), ref("z"), ref("k"))),
        native(500, ref("m"), ref("m"), ref("k")),
        native(500, ref("k"), ref("z"), ref("k")),
      ),
    );
    expect(applied.get("sigVerify")).toBe(3);
  });

  it("caches only the last call with a text", () => {
    const toBytes = (name: string) => native(411, ref(name));
    const { applied } = run(
      bind(
        "u",
        { kind: "string", value: "other" },
        addressCall(...times(9, toBytes("t")), toBytes("u"), toBytes("t")),
      ),
    );
    expect(applied.get("toBytes")).toBe(3);
  });

  it("caches neither failures nor results of other runs", () => {
    const failing = native(500, ref("m"), ref("z"), ref("m"));
    for (let i = 0; i < 2; i++) {
      const { applied, result } = run(failing);
      expect(applied.get("sigVerify")).toBe(1);
      expect("exception" in result && result.exception).toContain("must have length 32");
    }
  });

  it("rejects a wrong number or kind of arguments, also after a cached call", () => {
    const exception = (expression: Expression) => {
      const { result } = run(addressCall(native(501, ref("m")), expression));
      return "exception" in result ? result.exception : undefined;
    };
    expect(exception(native(501, ref("m"), ref("m")))).toContain("Can't apply");
    expect(exception(native(501))).toContain("Can't apply");
    expect(exception(native(501, ref("t")))).toContain("Can't apply");
  });
});
