import type { TSchema } from "typebox";
import type { Shape } from "../decode.ts";

/** The part of JSON Schema that routes use. */
interface Schema {
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
}

const EMPTY: Shape = {};
const BIG_FORMATS = ["int64", "big"];

function isEmpty(shape: Shape): boolean {
  return Object.keys(shape).length === 0;
}

/** A walk over a whole schema also visits member lists, which can have a member called `type`. */
function typesOf({ type }: { readonly type?: unknown }): readonly unknown[] {
  return Array.isArray(type) ? type : [type];
}

function isBig(schema: Schema): boolean {
  return typesOf(schema).includes("integer") && BIG_FORMATS.includes(schema.format ?? "");
}

/** Returns true for numbers that stay numbers. */
function isSmall(schema: Schema): boolean {
  return typesOf(schema).some((type) => type === "integer" || type === "number") && !isBig(schema);
}

/** Merges the shapes of alternatives; the larger one decides. */
function merge(a: Shape, b: Shape): Shape {
  const items = mergeSome(a.items, b.items);
  const others = mergeSome(a.others, b.others);
  const names = new Set([...Object.keys(a.members ?? {}), ...Object.keys(b.members ?? {})]);
  const members = [...names].map((name) => [name, mergeSome(a.members?.[name], b.members?.[name])]);
  return {
    ...(a.big === true || b.big === true ? { big: true } : {}),
    ...(items === undefined ? {} : { items }),
    ...(members.length === 0 ? {} : { members: Object.fromEntries(members) }),
    ...(others === undefined ? {} : { others }),
  };
}

function mergeSome(a: Shape | undefined, b: Shape | undefined): Shape | undefined {
  return a === undefined || b === undefined ? (a ?? b) : merge(a, b);
}

/** Checks that alternatives agree on which integers are large, since a client cannot tell them apart. */
function checkAgreement(schemas: readonly Schema[], path: string): void {
  if (schemas.some(isBig) && schemas.some(isSmall)) throw new Error(`${path}: a number or a bigint`);
  const flat = schemas.flatMap((schema) => [
    schema,
    ...(schema.anyOf ?? []),
    ...(schema.oneOf ?? []),
    ...(schema.allOf ?? []),
  ]);
  const names = new Set(flat.flatMap(({ properties }) => Object.keys(properties ?? {})));
  for (const name of names) {
    const own = flat.flatMap(({ properties }) => properties?.[name] ?? []);
    if (own.length > 1) checkAgreement(own, `${path}.${name}`);
  }
  const items = flat.flatMap((schema) => schema.items ?? []);
  if (items.length > 1) checkAgreement(items, `${path}[]`);
}

/** @throws Error if alternatives disagree on which integers are large */
export function shapeOf(schema: Schema | TSchema, path = "$"): Shape {
  // These are optional members of JSON Schema.
  const { items, properties, additionalProperties, patternProperties, anyOf, oneOf, allOf } =
    schema as Schema;
  const alternatives = anyOf ?? oneOf;
  if (alternatives !== undefined) {
    checkAgreement(alternatives, path);
    return alternatives.map((one) => shapeOf(one, path)).reduce(merge, EMPTY);
  }
  if (allOf !== undefined) return allOf.map((one) => shapeOf(one, path)).reduce(merge, EMPTY);
  const ofItems = items && shapeOf(items, `${path}[]`);
  const members = Object.entries(properties ?? {})
    .map(([name, one]) => [name, shapeOf(one, `${path}.${name}`)] as const)
    .filter(([, shape]) => !isEmpty(shape));
  const rest = Object.values(patternProperties ?? {})[0] ?? additionalProperties;
  const others = typeof rest === "object" ? shapeOf(rest, `${path}.*`) : EMPTY;
  return {
    ...(isBig(schema as Schema) ? { big: true } : {}),
    ...(ofItems === undefined || isEmpty(ofItems) ? {} : { items: ofItems }),
    ...(members.length === 0 ? {} : { members: Object.fromEntries(members) }),
    ...(isEmpty(others) ? {} : { others }),
  };
}

/** Returns the schema of decoded values: large integers are `bigint`, all others numbers. */
export function decodedSchema(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(decodedSchema);
  if (typeof schema !== "object" || schema === null) return schema;
  const copy = Object.fromEntries(Object.entries(schema).map(([name, one]) => [name, decodedSchema(one)]));
  if (!isBig(schema as Schema)) return copy;
  const { format: _, ...rest } = copy;
  const types = typesOf(copy).map((type) => (type === "integer" ? "bigint" : type));
  return { ...rest, type: types };
}
