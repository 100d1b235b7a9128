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

/** Returns the types of a schema. `type` is unknown, because `decodedSchema` also visits `properties`. */
function typesOf({ type }: { readonly type?: unknown }): readonly unknown[] {
  return Array.isArray(type) ? type : [type];
}

function isBig(schema: Schema): boolean {
  return typesOf(schema).includes("integer") && BIG_FORMATS.includes(schema.format ?? "");
}

/** Returns true for numbers that are decoded as `number`. */
function isSmall(schema: Schema): boolean {
  return typesOf(schema).some((type) => type === "integer" || type === "number") && !isBig(schema);
}

/** Merges the shapes of two alternatives. An integer is large if it is large in one of them. */
function merge(a: Shape, b: Shape): Shape {
  const items = mergeOptional(a.items, b.items);
  const others = mergeOptional(a.others, b.others);
  const names = new Set([...Object.keys(a.members ?? {}), ...Object.keys(b.members ?? {})]);
  const members = [...names].map((name) => [name, mergeOptional(a.members?.[name], b.members?.[name])]);
  return {
    ...(a.big === true || b.big === true ? { big: true } : {}),
    ...(items === undefined ? {} : { items }),
    ...(members.length === 0 ? {} : { members: Object.fromEntries(members) }),
    ...(others === undefined ? {} : { others }),
  };
}

function mergeOptional(a: Shape | undefined, b: Shape | undefined): Shape | undefined {
  return a === undefined || b === undefined ? (a ?? b) : merge(a, b);
}

/** Checks that alternatives agree on which integers are large, since a client cannot distinguish the alternatives. */
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
    const memberSchemas = flat.flatMap(({ properties }) => properties?.[name] ?? []);
    if (memberSchemas.length > 1) checkAgreement(memberSchemas, `${path}.${name}`);
  }
  const items = flat.flatMap((schema) => schema.items ?? []);
  if (items.length > 1) checkAgreement(items, `${path}[]`);
}

/** Derives the shape of a schema. @throws Error if alternatives disagree on which integers are large */
export function shapeOf(schema: Schema | TSchema, path = "$"): Shape {
  // Safe cast: each of these members is optional in JSON Schema.
  const { items, properties, additionalProperties, patternProperties, anyOf, oneOf, allOf } =
    schema as Schema;
  const alternatives = anyOf ?? oneOf;
  if (alternatives !== undefined) {
    checkAgreement(alternatives, path);
    return alternatives.map((alternative) => shapeOf(alternative, path)).reduce(merge, EMPTY);
  }
  if (allOf !== undefined) return allOf.map((part) => shapeOf(part, path)).reduce(merge, EMPTY);
  const ofItems = items && shapeOf(items, `${path}[]`);
  const members = Object.entries(properties ?? {})
    .map(([name, member]) => [name, shapeOf(member, `${path}.${name}`)] as const)
    .filter(([, shape]) => !isEmpty(shape));
  const otherMembers = Object.values(patternProperties ?? {})[0] ?? additionalProperties;
  const others = typeof otherMembers === "object" ? shapeOf(otherMembers, `${path}.*`) : EMPTY;
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
  const copy = Object.fromEntries(
    Object.entries(schema).map(([name, member]) => [name, decodedSchema(member)]),
  );
  if (!isBig(schema as Schema)) return copy;
  const { format: _, ...rest } = copy;
  const types = typesOf(copy).map((type) => (type === "integer" ? "bigint" : type));
  return { ...rest, type: types };
}
