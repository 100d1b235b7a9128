/** Reads the notation of `ride.json` (its `meta` explains it): trees, values, types and contexts. */
import { expect } from "vitest";
import { decodeHex, encodeHex } from "../src/bytes/hex.ts";
import { FULL_CONTEXT, FUNCTIONS } from "../src/script/compile/compile.ts";
import type { CompilerContext, Signature } from "../src/script/compile/compile-node.ts";
import type { EvaluationContext } from "../src/script/evaluate/evaluator.ts";
import type { Expression } from "../src/script/expression.ts";
import { nativeFunctions, objectTypes, userFunctionsOf } from "../src/script/library/library.ts";
import {
  BOOLEAN,
  BYTES,
  INT,
  LIST_OF_T,
  listOf,
  NOTHING,
  type ObjectType,
  type ParameterType,
  STRING,
  T,
  type Type,
  UNIT,
  unionOf,
} from "../src/script/values/types.ts";
import {
  isList,
  ObjectValue,
  OpaqueValue,
  typeNameOf,
  unit,
  type Value,
} from "../src/script/values/values.ts";

/** The network byte of all vectors. */
export const CHAIN_ID = 0x54;

/** An object of the vectors. Readers check its members. */
export type Json = { readonly [name: string]: unknown };

/** Returns the members of an object, all of which must be known. */
export function members<const Names extends readonly string[]>(
  value: unknown,
  names: Names,
): { readonly [N in Names[number]]?: unknown } {
  expect(value).toBeTypeOf("object");
  const unknown = Object.keys(value as object).filter((name) => !names.includes(name));
  expect(unknown, "unknown members").toEqual([]);
  return value as { readonly [N in Names[number]]?: unknown };
}

function list(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw new Error("a list is missing");
  return value;
}

/** Reads a compiled tree, as in the field `expr` of the conventions. */
export function toExpression(json: unknown): Expression {
  if (typeof json === "boolean") return { kind: "boolean", value: json };
  const node = members(json, [
    "long",
    "bytes",
    "string",
    "ref",
    "if",
    "let",
    "value",
    "body",
    "get",
    "field",
    "call",
    "args",
  ]);
  if (node.long !== undefined) return { kind: "long", value: BigInt(String(node.long)) };
  if (node.bytes !== undefined) return { kind: "bytes", value: decodeHex(String(node.bytes)) };
  if (node.string !== undefined) return { kind: "string", value: String(node.string) };
  if (node.ref !== undefined) return { kind: "ref", name: String(node.ref) };
  if (node.if !== undefined) {
    const [condition, whenTrue, whenFalse] = list(node.if).map(toExpression);
    return { kind: "if", condition, whenTrue, whenFalse };
  }
  if (node.let !== undefined) {
    return {
      kind: "block",
      name: String(node.let),
      value: toExpression(node.value),
      body: toExpression(node.body),
    };
  }
  if (node.get !== undefined)
    return { kind: "getter", object: toExpression(node.get), field: String(node.field) };
  const { native, user } = members(node.call, ["native", "user"]);
  const args = list(node.args).map(toExpression);
  return {
    kind: "call",
    header:
      native === undefined ? { kind: "user", name: String(user) } : { kind: "native", id: Number(native) },
    arguments: args,
  };
}

/** Reads a type of a context: a name, `LIST(…)`, `UNION(…|…)` or `TYPEPARAM(84)` in lists. */
export function toType(text: string, named: ReadonlyMap<string, Type>): Type {
  const inner = /^(LIST|UNION)\((.*)\)$/.exec(text);
  if (inner?.[1] === "LIST") return listOf(toType(inner[2], named));
  if (inner?.[1] === "UNION") return unionOf(...inner[2].split("|").map((part) => toType(part, named)));
  const type = text === "Nothing" ? NOTHING : named.get(text);
  if (type === undefined) throw new Error(`unknown type ${text}`);
  return type;
}

const primitives: readonly (readonly [string, Type])[] = [UNIT, INT, BOOLEAN, BYTES, STRING].map((type) => [
  type.name,
  type,
]);

/** Functions that exist only in a test of the reference's compiler. */
const TEST_FUNCTIONS: readonly (readonly [string, Signature])[] = (
  [
    ["idT", 10000, [T], T],
    ["MULTIPLY", 10005, [INT, INT], INT],
    ["undefinedOptionLong", 1002, [], listOf(INT)],
    ["idOptionLong", 1003, [unionOf(INT, UNIT)], UNIT],
    ["functionWithTwoPrarmsOfTheSameType", 1005, [T, T], T],
  ] as const
).map(([name, id, parameters, result]) => [
  name,
  {
    header: { kind: "native", id },
    parameters: (parameters as readonly ParameterType[]).map((type, i) => [`p${i}`, type] as const),
    result,
  },
]);

function pureFunctions(): Map<string, readonly Signature[]> {
  const isPure = ({ header }: Signature) =>
    header.kind === "native" ? header.id < 500 : !header.name.startsWith("addressFrom");
  const functions = [...FUNCTIONS].map(([name, all]) => [name, all.filter(isPure)] as const);
  return new Map(functions.filter(([, all]) => all.length > 0));
}

/** Reads a named context of the vectors: functions from its description, types and variables as listed. */
export function toContext(name: string, json: unknown): CompilerContext {
  if (name === "full") return FULL_CONTEXT;
  const context = members(json, ["types", "vars", "functions"]);
  const types = new Map<string, Type>();
  for (const [typeName, description] of Object.entries(context.types as Json)) {
    const known = primitives.find(([primitive]) => primitive === typeName)?.[1] ?? objectTypes.get(typeName);
    if (known !== undefined) types.set(typeName, known);
    else if (typeof description === "string") types.set(typeName, toType(description, types));
    else {
      const { fields } = members(description, ["fields"]);
      const pairs = list(fields).map((field) => {
        const [fieldName, type] = list(field).map(String);
        return [fieldName, toType(type, types)] as const;
      });
      types.set(typeName, { kind: "object", name: typeName, fields: pairs });
    }
  }
  const named = new Map([...primitives, ...types]);
  // An element of a list type in the context of the reference's compiler test, never used as a type itself.
  named.set("PointC", named.get("PointC") ?? { kind: "object", name: "PointC", fields: [["YB", INT]] });
  const variables = Object.entries(context.vars as Json).map(
    ([variable, type]) => [variable, toType(String(type), named)] as const,
  );
  const functions = name === "empty" ? new Map<string, readonly Signature[]>() : pureFunctions();
  if (name === "compilerTest") for (const [f, signature] of TEST_FUNCTIONS) functions.set(f, [signature]);
  return { types, variables: new Map(variables), functions };
}

/** Reads a value in the notation of the conventions. */
export function toValue(json: unknown, types: ReadonlyMap<string, Type>): Value {
  const { type, value, hex, items, fields } = members(json, ["type", "value", "hex", "items", "fields"]);
  switch (type) {
    case "Int":
      return BigInt(String(value));
    case "Boolean":
    case "String":
      return value as boolean | string;
    case "ByteVector":
      return decodeHex(String(hex));
    case "Unit":
      return unit;
    case "List":
      return list(items).map((item) => toValue(item, types));
    case "opaque LangAddress":
      return new OpaqueValue("LangAddress", decodeHex(String(hex)));
    case "opaque PublicKey":
      return new OpaqueValue("PublicKey", decodeHex(String(hex)));
  }
  const object = types.get(String(type));
  if (object?.kind !== "object") throw new Error(`unknown type of value ${type}`);
  // Only the last fields can be missing: those without a constructor argument.
  const given = fields as Json;
  const names = object.fields.slice(0, Object.keys(given).length).map(([name]) => name);
  expect(Object.keys(given).toSorted()).toEqual(names.toSorted());
  return new ObjectValue(
    object,
    names.map((name) => toValue(given[name], types)),
  );
}

/** Prints a value in the notation of the vectors. */
export function valueJson(value: Value): Json {
  if (value instanceof Uint8Array) return { type: "ByteVector", hex: encodeHex(value) };
  if (isList(value)) return { type: "List", items: value.map(valueJson) };
  if (value instanceof OpaqueValue) return { type: `opaque ${value.kind}`, hex: encodeHex(value.bytes) };
  if (value instanceof ObjectValue) {
    const fields = Object.fromEntries(value.names.map((name, i) => [name, valueJson(value.values[i])]));
    return { type: value.type.name, fields };
  }
  if (value === unit) return { type: "Unit" };
  return { type: typeNameOf(value), value: typeof value === "bigint" ? String(value) : value };
}

/** The environment of a run, with a vector's values for the variables. */
export function evaluationContext(
  context: CompilerContext,
  variables: Json | undefined,
  tx: unknown,
): EvaluationContext {
  const given = new Map<string, () => Value>([["unit", () => unit]]);
  for (const [name, value] of Object.entries(variables ?? {})) {
    given.set(name, () => toValue(value, context.types));
  }
  if (tx !== undefined) given.set("tx", () => toValue(tx, context.types));
  const constructors = [...context.types.values()].filter(
    (type): type is ObjectType => type.kind === "object",
  );
  return {
    variables: given,
    natives: nativeFunctions,
    users: userFunctionsOf(CHAIN_ID),
    constructors: new Map(constructors.map((type) => [type.name, type])),
  };
}

/** Reads a type of the section `typeInference`: those of the reference's test, with its two type parameters. */
export function toParameterType(text: string): ParameterType {
  const parameter = /^TYPEPARAM\((\d+)\)$/.exec(text);
  if (parameter !== null) return { kind: "parameter", code: Number(parameter[1]) };
  if (text === "PARAMETERIZEDLIST(TYPEPARAM(84))") return LIST_OF_T;
  const inner = /^PARAMETERIZEDLIST\((.*)\)$/.exec(text);
  if (inner !== null) return { kind: "parameter list", element: toParameterType(inner[1]) };
  const union = /^PARAMETERIZEDUNION\(List\((.*)\)\)$/.exec(text);
  if (union !== null) {
    const parts = union[1].split(", ").map((part) => {
      const type = toParameterType(part);
      if (type.kind === "nothing" || type.kind === "union" || type.kind === "parameter union") {
        throw new Error(`${part} is no member of a union`);
      }
      return type;
    });
    return { kind: "parameter union", members: parts };
  }
  const user = (name: string): ObjectType => ({ kind: "object", name, fields: [["name", STRING]] });
  return toType(text, new Map([...primitives, ["User", user("User")], ["Admin", user("Admin")]]));
}
