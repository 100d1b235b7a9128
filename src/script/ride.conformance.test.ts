/**
 * Checks all vectors of `ride.json`, except the sections with whole transactions (`transactionValues`,
 * `verify`, `setScriptTransactions`): see test/ride-transactions.conformance.test.ts.
 */
import { describe, expect, it } from "vitest";
import {
  CHAIN_ID,
  evaluationContext,
  type Json,
  members,
  toContext,
  toExpression,
  toParameterType,
  toValue,
  valueJson,
} from "../../test/ride-vectors.ts";
import { expectKnown, hasVectors, loadVectors } from "../../test/vectors.ts";
import { decodeHex, encodeHex } from "../bytes/hex.ts";
import { hashString, immutableSetOrder } from "../collections/hash-trie.ts";
import { compileProgram, compileScript, FUNCTIONS, parseProgram } from "./compile/compile.ts";
import type { Compiled } from "./compile/compile-node.ts";
import { matchTypes } from "./compile/type-matching.ts";
import { estimate } from "./cost/estimator.ts";
import { EmptyScriptError, ScriptCompileError, ScriptParseError } from "./errors.ts";
import { type Evaluation, evaluate } from "./evaluate/evaluator.ts";
import { logTexts } from "./evaluate/verdict.ts";
import type { Expression, FunctionHeader } from "./expression.ts";
import { expressionText } from "./expression-text.ts";
import { functionCost, GLOBAL_NAMES } from "./library/library.ts";
import { NATIVE_FUNCTIONS } from "./library/native-functions.ts";
import { userFunctions } from "./library/user-functions.ts";
import { createScript, estimateScript, parseScript, parseScriptText } from "./script.ts";
import { readExpression, writeExpression } from "./serialization.ts";
import { directives } from "./text/directives.ts";
import type { Node, Part, Position } from "./text/syntax.ts";
import { byteVectorText } from "./values/byte-vector-text.ts";
import { OBJECT_TYPES, TX_TYPE } from "./values/object-types.ts";
import { JOINED_UNION_ORDER, typeText } from "./values/types.ts";

const FILE = "ride.json";
const TABLES = [
  "nativeFunctions",
  "userFunctions",
  "functionCosts",
  "types",
  "txUnionOrder",
  "typeNamesInErrorOrder",
  "unionMemberOrder",
  "contexts",
  "meta",
];
const CASES = [
  "compile",
  "evaluate",
  "expressions",
  "parse",
  "serialize",
  "deserializeExpression",
  "readScript",
  "estimator",
  "typeInference",
  "directives",
  "byteVectorTexts",
];
/** Sections that other tests check. */
const CHECKED_ELSEWHERE = ["transactionValues", "verify", "setScriptTransactions"];

const vectors = hasVectors(FILE) ? loadVectors<Json>(FILE) : {};

/** Members that describe the origin of a vector. */
const ORIGIN = ["id", "origin", "ref", "note", "asserted"] as const;

/** Checks a section, one test per case. A missing section appears as skipped; an empty section fails. */
function section(name: string, check: (vector: Json) => void): void {
  const cases = vectors[name] as readonly Json[] | undefined;
  describe.skipIf(cases === undefined)(name, () => {
    it("has cases", () => expect(cases?.length).toBeGreaterThan(0));
    it.each((cases ?? []).map((vector, i) => [String(vector.id ?? vector.ref ?? i), vector] as const))(
      "%s",
      (_, vector) => check(vector),
    );
  });
}

/** Checks a table as a whole. A missing table appears as skipped. */
function table(name: string, check: (rows: never) => void): void {
  it.skipIf(vectors[name] === undefined)(name, () => check(vectors[name] as never));
}

function context(name: unknown) {
  const contexts = vectors.contexts as Json;
  return toContext(String(name), contexts[String(name)]);
}

/** Returns the error that an action throws, which must be of class `kind`. */
function thrown<E extends Error>(action: () => unknown, kind: abstract new (...args: never[]) => E): E {
  try {
    action();
  } catch (error) {
    expect(error).toBeInstanceOf(kind);
    return error as E;
  }
  throw new Error("the action did not throw");
}

describe.skipIf(!hasVectors(FILE))("ride vectors", () => {
  it("has known sections only", () => {
    expectKnown(Object.keys(vectors), [...TABLES, ...CASES, ...CHECKED_ELSEWHERE, "jvmTexts"], FILE);
  });

  section("compile", (vector) => {
    const {
      source,
      entry,
      expect: expectation,
    } = members(vector, [...ORIGIN, "context", "source", "entry", "expect"]);
    if (entry === "expression") checkProgram(String(source), vector.context, expectation);
    else {
      expect(entry).toBe("script/compile");
      checkScript(String(source), expectation);
    }
  });

  section("evaluate", (vector) => {
    const {
      context: contextName,
      source,
      vars,
      tx,
      expect: expectation,
    } = members(vector, [...ORIGIN, "context", "source", "vars", "tx", "expect"]);
    const named = context(contextName);
    const expected = members(expectation, [
      "compileError",
      "errorContains",
      "type",
      "hex",
      "value",
      "error",
      "throws",
      "log",
    ]);
    if (expected.compileError !== undefined) {
      const { message } = thrown(() => compileProgram(String(source), named), ScriptCompileError);
      expect(message).toBe(expected.compileError);
      return;
    }
    const compiled = compileProgram(String(source), named);
    if (expected.type !== undefined) expect(typeText(compiled.type)).toBe(expected.type);
    if (expected.hex !== undefined)
      expect(encodeHex(writeExpression(compiled.expression))).toBe(expected.hex);
    checkRun(evaluate(compiled.expression, evaluationContext(named, vars as Json | undefined, tx)), expected);
  });

  section("expressions", (vector) => {
    const {
      expr,
      hex,
      vars,
      expect: expectation,
    } = members(vector, [...ORIGIN, "expr", "hex", "vars", "expect"]);
    const expression = toExpression(expr);
    expect(encodeHex(writeExpression(expression))).toBe(hex);
    const expected = members(expectation, ["value", "error", "throws", "log", "complexity", "scriptError"]);
    if (expected.complexity !== undefined) expect(estimateScript(expression)).toBe(expected.complexity);
    if (expected.scriptError !== undefined) {
      expect(thrown(() => createScript(expression), ScriptParseError).text).toBe(expected.scriptError);
    }
    if ("value" in expected || "error" in expected || "throws" in expected) {
      const run = evaluationContext(context("full"), vars as Json | undefined, undefined);
      checkRun(evaluate(expression, run), expected);
    }
  });

  section("parse", (vector) => {
    const { source, ast, positions, position } = members(vector, [
      ...ORIGIN,
      "source",
      "ast",
      "positions",
      "position",
    ]);
    const node = parseProgram(String(source));
    expect(astOf(node)).toEqual(ast);
    expect(positionsOf(node)).toEqual(positions);
    if (position !== undefined) expect([node.position.start, node.position.end]).toEqual(position);
  });

  section("serialize", (vector) => {
    const { expr, hex, text } = members(vector, [...ORIGIN, "expr", "hex", "text"]);
    const expression = toExpression(expr);
    expect(encodeHex(writeExpression(expression))).toBe(hex);
    if (text !== undefined) expect(expressionText(expression)).toBe(text);
    // A lone surrogate is written as a question mark, so it is read as another string.
    expect(encodeHex(writeExpression(readExpression(decodeHex(String(hex)))))).toBe(hex);
  });

  section("deserializeExpression", (vector) => {
    const { hex, expect: expectation } = members(vector, [...ORIGIN, "hex", "expect"]);
    const { ok, error, expr, reserialized } = members(expectation, ["ok", "error", "expr", "reserialized"]);
    const bytes = decodeHex(String(hex));
    if (ok === true) {
      const expression = readExpression(bytes);
      expect(expression).toEqual(toExpression(expr));
      expect(encodeHex(writeExpression(expression))).toBe(reserialized === "same" ? hex : reserialized);
    } else expect(thrown(() => readExpression(bytes), ScriptParseError).text).toBe(error);
  });

  section("readScript", (vector) => {
    const { hex, base64, expect: expectation } = members(vector, [...ORIGIN, "hex", "base64", "expect"]);
    const { ok, complexity, reserialized, error, throws } = members(expectation, [
      "ok",
      "complexity",
      "reserialized",
      "error",
      "throws",
    ]);
    const readers = [() => parseScriptText(String(base64))];
    if (hex !== undefined) readers.push(() => parseScript(decodeHex(String(hex))));
    for (const read of readers) {
      if (ok === true) {
        const script = read();
        expect(script.complexity).toBe(complexity);
        const written = parseScriptText(String(reserialized === "same" ? base64 : reserialized));
        expect(encodeHex(script.bytes)).toBe(encodeHex(written.bytes));
        expect(encodeHex(parseScript(script.bytes).bytes)).toBe(encodeHex(script.bytes));
      } else if (throws === undefined) expect(thrown(read, ScriptParseError).text).toBe(error);
      else expect(thrown(read, EmptyScriptError).exception).toBe(throws);
    }
  });

  section("estimator", (vector) => {
    const {
      context: name,
      source,
      functionCosts,
      complexity,
      hex,
    } = members(vector, [...ORIGIN, "context", "source", "functionCosts", "complexity", "hex"]);
    const costs = functionCosts as Record<string, number>;
    // The reference's test estimates what its parser returns even if the types do not match.
    const expression = readExpression(decodeHex(String(hex)));
    const compiled = tryCompile(String(source), name);
    if (compiled !== undefined) expect(encodeHex(writeExpression(compiled.expression))).toBe(hex);
    const cost = (header: FunctionHeader) =>
      costs[header.kind === "native" ? `native ${header.id}` : `user ${header.name}`] ?? functionCost(header);
    expect(estimate(expression, { names: GLOBAL_NAMES, cost })).toBe(complexity);
  });

  section("typeInference", (vector) => {
    const { pairs, expect: expectation } = members(vector, [...ORIGIN, "pairs", "expect"]);
    const { ok, error } = members(expectation, ["ok", "error", "errorContains"]);
    const result = matchTypes(
      (pairs as [string, string][]).map(([argument, parameter]) => {
        const type = toParameterType(argument);
        if (type.kind.startsWith("parameter")) throw new Error(`${argument} is not an argument type`);
        return [type as never, toParameterType(parameter)] as const;
      }),
    );
    if (result.ok) {
      const found = [...result.value].map(([code, type]) => [`TYPEPARAM(${code})`, typeText(type)]);
      expect(Object.fromEntries(found)).toEqual({ ...(ok as Json) });
    } else expect(result.error).toBe(error);
  });

  section("directives", (vector) => {
    const { source, directives: expected } = members(vector, [...ORIGIN, "source", "directives"]);
    expect(directives(String(source))).toEqual(expected);
  });

  section("byteVectorTexts", (vector) => {
    const { bytes, text } = members(vector, [...ORIGIN, "bytes", "text"]);
    const length = /^(\d+) bytes, byte i = i mod 256$/.exec(String(bytes))?.[1];
    expect(byteVectorText(Uint8Array.from({ length: Number(length) }, (_, i) => i % 256))).toBe(text);
  });

  describe("tables", () => {
    table("nativeFunctions", (rows: readonly Json[]) => {
      const ours = NATIVE_FUNCTIONS.map(({ name, id, cost, result, parameters }) => ({
        name,
        id,
        cost,
        result: typeText(result),
        args: parameters.map(([parameter, type]) => [parameter, typeText(type)]),
      }));
      const byId = (a: { id: unknown }, b: { id: unknown }) => Number(a.id) - Number(b.id);
      expect(ours.toSorted(byId)).toEqual(rows.map((row) => ({ ...row, id: row.id })).toSorted(byId));
      for (const { name } of ours) {
        // Overloads keep their relative order.
        const ids = (list: readonly { name?: unknown; id?: unknown }[]) =>
          list.filter((row) => row.name === name).map(({ id }) => id);
        expect(ids(ours)).toEqual(ids(rows));
      }
    });

    table("userFunctions", (rows: readonly Json[]) => {
      const ours = new Map(userFunctions(CHAIN_ID).map((user) => [user.internalName, user]));
      expect(rows.length).toBe(ours.size);
      for (const row of rows) {
        const { name, internalName, result, args, body, bodyHex, cost } = members(row, [
          "name",
          "internalName",
          "result",
          "args",
          "body",
          "bodyHex",
          "cost",
          "note",
        ]);
        const user = ours.get(String(internalName));
        if (user === undefined) throw new Error(`no user function ${internalName}`);
        expect(user.name).toBe(name);
        expect(typeText(user.result)).toBe(result);
        expect(user.parameters.map(([parameter, type]) => [parameter, typeText(type)])).toEqual(args);
        expect(user.body).toEqual(toExpression(body));
        expect(encodeHex(writeExpression(user.body))).toBe(bodyHex);
        expect(functionCost({ kind: "user", name: user.internalName })).toBe(cost);
        expect(FUNCTIONS.get(user.name)?.map(({ header }) => header)).toContainEqual({
          kind: "user",
          name: internalName,
        });
      }
    });

    table("functionCosts", (costs: Record<string, number>) => {
      for (const [key, cost] of Object.entries(costs)) {
        const [, kind, name] = /^(native|user) (.*)$/.exec(key) ?? [];
        const header: FunctionHeader =
          kind === "native" ? { kind, id: Number(name) } : { kind: "user", name: String(name) };
        expect(functionCost(header), key).toBe(cost);
      }
      expect(Object.keys(costs).length).toBe(
        NATIVE_FUNCTIONS.length + userFunctions(CHAIN_ID).length + OBJECT_TYPES.length,
      );
    });

    table("types", (rows: readonly Json[]) => {
      expect(OBJECT_TYPES.map(({ name }) => name).toSorted()).toEqual(
        rows.map(({ name }) => name).toSorted(),
      );
      for (const row of rows) {
        const { name, fields, constructorCost, toStringFieldOrder } = members(row, [
          "name",
          "fields",
          "constructorCost",
          "toStringFieldOrder",
        ]);
        const type = OBJECT_TYPES.find((objectType) => objectType.name === name);
        expect(type?.fields.map(([field, fieldType]) => [field, typeText(fieldType)])).toEqual(fields);
        expect(functionCost({ kind: "user", name: String(name) })).toBe(constructorCost);
        expect(immutableSetOrder(type?.fields.map(([field]) => field) ?? [], hashString)).toEqual(
          toStringFieldOrder,
        );
      }
    });

    table("txUnionOrder", (names: readonly string[]) => {
      expect(TX_TYPE.members.map(typeText)).toEqual(names);
    });

    table("typeNamesInErrorOrder", (names: readonly string[]) => {
      expect(immutableSetOrder([...context("full").types.keys()], hashString)).toEqual(names);
    });

    table("unionMemberOrder", (names: readonly string[]) => {
      expect(JOINED_UNION_ORDER).toEqual(names);
    });

    table("contexts", (contexts: Record<string, unknown>) => {
      const { types, vars } = members(contexts.full, ["types", "vars", "functions"]);
      const full = context("full");
      expect([...full.types.keys()].toSorted()).toEqual(Object.keys(types as Json).toSorted());
      const variables = [...full.variables].map(([name, type]) => [name, typeText(type)]);
      expect(Object.fromEntries(variables)).toEqual({ ...(vars as Json) });
    });
  });
});

function tryCompile(source: string, contextName: unknown): Compiled | undefined {
  try {
    return compileProgram(source, context(contextName));
  } catch (error) {
    if (error instanceof ScriptCompileError) return undefined;
    throw error;
  }
}

/** Checks `expect` of an entry `expression`. */
function checkProgram(source: string, contextName: unknown, expectation: unknown): void {
  const expected = members(expectation, ["ok", "type", "hex", "text", "expr", "error", "errorContains"]);
  const named = context(contextName);
  if (expected.ok !== true) {
    expect(thrown(() => compileProgram(source, named), ScriptCompileError).message).toBe(expected.error);
    return;
  }
  const { expression, type } = compileProgram(source, named);
  if (expected.type !== undefined) expect(typeText(type)).toBe(expected.type);
  checkTree(expression, expected);
  if (expected.hex !== undefined) expect(encodeHex(writeExpression(expression))).toBe(expected.hex);
}

/** Checks `expect` of an entry `script/compile`. */
function checkScript(source: string, expectation: unknown): void {
  const expected = members(expectation, [
    "ok",
    "complexity",
    "base64",
    "hex",
    "expressionHex",
    "size",
    "text",
    "expr",
    "error",
    "errorContains",
  ]);
  const result = compileScript(source);
  if (!result.ok) {
    expect(result.error).toBe(expected.error);
    expect(expected.ok).toBe(false);
    return;
  }
  expect(expected.ok, "compiles").toBe(true);
  const { value: script } = result;
  if (expected.complexity !== undefined) expect(script.complexity).toBe(expected.complexity);
  if (expected.hex !== undefined) expect(encodeHex(script.bytes)).toBe(expected.hex);
  if (expected.size !== undefined) expect(script.bytes.length).toBe(expected.size);
  if (expected.base64 !== undefined) {
    expect(encodeHex(script.bytes)).toBe(encodeHex(parseScriptText(String(expected.base64)).bytes));
  }
  if (expected.expressionHex !== undefined) {
    expect(encodeHex(writeExpression(script.expression))).toBe(expected.expressionHex);
  }
  checkTree(script.expression, expected);
  // The reader accepts what the compiler writes, and writes the same.
  const read = parseScript(script.bytes);
  expect(encodeHex(read.bytes)).toBe(encodeHex(script.bytes));
  expect(read.complexity).toBe(script.complexity);
}

function checkTree(
  expression: Expression,
  expected: { readonly text?: unknown; readonly expr?: unknown },
): void {
  if (expected.text !== undefined) expect(expressionText(expression)).toBe(expected.text);
  if (expected.expr !== undefined) expect(expression).toEqual(toExpression(expected.expr));
}

function checkRun(
  result: Evaluation,
  expected: {
    readonly value?: unknown;
    readonly error?: unknown;
    readonly throws?: unknown;
    readonly log?: unknown;
  },
): void {
  if (expected.throws !== undefined) expect(result).toHaveProperty("exception");
  else if (expected.error !== undefined) expect(result).toHaveProperty("error", expected.error);
  else {
    if (!("value" in result)) throw new Error(`no value: ${JSON.stringify(result, ["error", "exception"])}`);
    const types = context("full").types;
    const named = new Map([...types, ...context("points(AorBorC)").types]);
    expect(valueJson(result.value)).toEqual(valueJson(toValue(expected.value, named)));
  }
  if (expected.log !== undefined) expect(logTexts(result.log)).toEqual(expected.log);
}

const OPERATORS: Readonly<Record<string, string>> = {
  "||": "OR_OP",
  "&&": "AND_OP",
  "==": "EQ_OP",
  "!=": "NE_OP",
  ">": "GT_OP",
  ">=": "GE_OP",
  "+": "SUM_OP",
  "-": "SUB_OP",
  "*": "MUL_OP",
  "/": "DIV_OP",
  "%": "MOD_OP",
};

function astPart(part: Part<string | Uint8Array>): unknown {
  if ("invalid" in part) return { invalid: part.invalid };
  return part.value instanceof Uint8Array ? { hex: encodeHex(part.value) } : part.value;
}

/** Converts a tree to the notation of the section `parse`. */
function astOf(node: Node): unknown {
  switch (node.kind) {
    case "long":
      return ["CONST_LONG", Number(node.value)];
    case "bytes":
      return ["CONST_BYTEVECTOR", astPart(node.part)];
    case "string":
      return ["CONST_STRING", astPart(node.part)];
    case "boolean":
      return [node.value ? "TRUE" : "FALSE"];
    case "ref":
      return ["REF", node.name];
    case "call":
      return ["FUNCTION_CALL", astPart(node.name), node.arguments.map(astOf)];
    case "getter":
      return ["GETTER", astOf(node.object), astPart(node.field)];
    case "binary": {
      const swapped = node.left.position.start > node.right.position.start;
      const operator = swapped
        ? { ">": "LT_OP", ">=": "LE_OP" }[node.operator as ">"]
        : OPERATORS[node.operator];
      return ["BINARY_OP", astOf(node.left), operator, astOf(node.right)];
    }
    case "if":
      return ["IF", astOf(node.condition), astOf(node.whenTrue), astOf(node.whenFalse)];
    case "block": {
      const { name, value } = node.declaration;
      return ["BLOCK", ["LET", astPart(name), astOf(value), []], astOf(node.body)];
    }
    case "match": {
      const cases = node.cases.map(({ variable, types, expression }) => [
        "MATCH_CASE",
        variable === undefined ? null : astPart(variable),
        types.map(astPart),
        astOf(expression),
      ]);
      return ["MATCH", astOf(node.subject), cases];
    }
    case "invalid":
      return ["INVALID", node.message];
  }
}

/** Positions of all nodes, parents first. */
function positionsOf(node: Node): string[] {
  const text = (name: string, { start, end }: Position) => `${name} ${start}-${end}`;
  const part = ({ position }: { readonly position: Position }) => text("part", position);
  const [name] = astOf(node) as [string];
  const nodePosition = text(name, node.position);
  switch (node.kind) {
    case "bytes":
    case "string":
      return [nodePosition, part(node.part)];
    case "ref":
      return [nodePosition, text("part", node.position)];
    case "call":
      return [nodePosition, part(node.name), ...node.arguments.flatMap(positionsOf)];
    case "getter":
      return [nodePosition, ...positionsOf(node.object), part(node.field)];
    case "binary":
      return [nodePosition, ...positionsOf(node.left), ...positionsOf(node.right)];
    case "if":
      return [nodePosition, ...[node.condition, node.whenTrue, node.whenFalse].flatMap(positionsOf)];
    case "block": {
      const { position, name: letName, value } = node.declaration;
      return [
        nodePosition,
        text("LET", position),
        part(letName),
        ...positionsOf(value),
        ...positionsOf(node.body),
      ];
    }
    case "match":
      return [
        nodePosition,
        ...positionsOf(node.subject),
        ...node.cases.flatMap(({ position, variable, types, expression }) => [
          text("MATCH_CASE", position),
          ...(variable === undefined ? [] : [part(variable)]),
          ...types.map(part),
          ...positionsOf(expression),
        ]),
      ];
    default:
      return [nodePosition];
  }
}
