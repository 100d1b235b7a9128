/** No code here may recurse on the host's stack, which ends at about 10,000 levels. */
import { describe, expect, it } from "vitest";
import { bytesEqual } from "../bytes/compare.ts";
import { compileProgram, compileScript, parseProgram } from "./compile/compile.ts";
import { ScriptCompileError } from "./errors.ts";
import { Equality } from "./evaluate/equality.ts";
import { evaluate } from "./evaluate/evaluator.ts";
import { type Expression, TRUE } from "./expression.ts";
import { expressionText } from "./expression-text.ts";
import { estimateScript, parseScript, scriptText } from "./index.ts";
import { nativeFunctions, objectTypes, userFunctionsOf } from "./library/library.ts";
import { readExpression, writeExpression } from "./serialization.ts";
import { TextBudget, valueText } from "./values/value-text.ts";
import { unit, type Value } from "./values/values.ts";

const LEVELS = 50_000;

function nested(wrap: (inner: Expression) => Expression, levels = LEVELS): Expression {
  let tree: Expression = TRUE;
  for (let i = 0; i < levels; i++) tree = wrap(tree);
  return tree;
}

const shapes: readonly (readonly [string, (inner: Expression) => Expression])[] = [
  ["conditions", (inner) => ({ kind: "if", condition: inner, whenTrue: TRUE, whenFalse: TRUE })],
  ["branches", (inner) => ({ kind: "if", condition: TRUE, whenTrue: inner, whenFalse: TRUE })],
  ["values", (inner) => ({ kind: "block", name: "x", value: inner, body: { kind: "ref", name: "x" } })],
  ["bodies", (inner) => ({ kind: "block", name: "x", value: TRUE, body: inner })],
  ["calls", (inner) => ({ kind: "call", header: { kind: "user", name: "!" }, arguments: [inner] })],
  ["getters", (inner) => ({ kind: "getter", object: inner, field: "f" })],
];

function runOf(expression: Expression) {
  return evaluate(expression, {
    variables: new Map([["unit", () => unit]]),
    natives: nativeFunctions,
    users: userFunctionsOf(0x54),
    constructors: objectTypes,
  });
}

describe.each(shapes)("trees of nested %s", (name, wrap) => {
  const tree = nested(wrap);

  it("are serialized, parsed and printed", () => {
    const bytes = writeExpression(tree);
    const read = readExpression(bytes);
    expect(bytesEqual(writeExpression(read), bytes)).toBe(true);
    expect(expressionText(read) === expressionText(tree)).toBe(true);
  });

  it("are estimated", () => {
    expect(estimateScript(tree)).toBeGreaterThan(LEVELS);
  });

  it("are evaluated", () => {
    const result = runOf(tree);
    if (name === "getters") expect(result).toHaveProperty("exception");
    // The number of negations is even.
    else expect(result).toHaveProperty("value", true);
  });
});

it("compiles and runs the deepest script that fits", () => {
  const source = `let x = ${"if ".repeat(2_720)}true${" then true else true".repeat(2_720)}\ntrue`;
  const result = compileScript(source);
  if (!result.ok) throw new Error(result.error);
  expect(result.value.complexity).toBe(6);
  const read = parseScript(result.value.bytes);
  expect(read.bytes).toEqual(result.value.bytes);
  expect(scriptText(read)).toBe(scriptText(result.value));
  expect(runOf(read.expression)).toHaveProperty("value", true);
});

describe("source", () => {
  it.each([
    ["parentheses", `${"(".repeat(10_000)}true${")".repeat(10_000)}`],
    ["braces", `${"{".repeat(10_000)}true${"}".repeat(10_000)}`],
    ["negations", `${"!".repeat(50_000)}true`],
    ["operators", `true${" && true".repeat(20_000)}`],
    [
      "lets",
      Array.from({ length: 3_000 }, (_, i) => `let v${i} = ${i === 0 ? "true" : `v${i - 1}`}\n`).join("") +
        "v2999",
    ],
  ])("nests %s", (_, source) => {
    expect(compileProgram(source).expression.kind).toBeDefined();
  });

  it("fails with the reference's text when it nests too deeply, without a crash", () => {
    for (const opening of ["(", "{", "a[", "f(", "if ", "let x = ", "match "]) {
      const parse = () => parseProgram(opening.repeat(100_000));
      expect(parse, opening).toThrow(ScriptCompileError);
    }
    expect(() => parseProgram("(".repeat(100_000))).toThrow(
      new ScriptCompileError("Parsing failed: Unknown error"),
    );
  });

  it("compiles the subject of a match once, even in nested matches", () => {
    let subject = "tx";
    for (let i = 0; i < 60; i++) subject = `(match ${subject} { case _ => tx })`;
    const result = compileScript(`${subject} == tx`);
    expect(result.ok).toBe(true);
  });
});

it("compares and prints deep values", () => {
  const deep = (): Value => {
    let value: Value = 1n;
    for (let i = 0; i < LEVELS; i++) value = [value];
    return value;
  };
  expect(new Equality().equal(deep(), deep())).toBe(true);
  expect(new Equality().equal(deep(), [deep()])).toBe(false);
  const text = valueText(deep(), 10_000_000, new TextBudget(Number.POSITIVE_INFINITY));
  expect(text?.length).toBe(LEVELS * "Vector()".length + 1);
});
