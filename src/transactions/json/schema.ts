/** JSON schemas of requests and of the JSON form, for the API description. */
import { keyTypes } from "../../crypto/key-types.ts";
import type { TransactionDefinition } from "../define.ts";
import { addressSchema, int64Schema, type JsonSchema } from "./json-schema.ts";

const TEXT: JsonSchema = { type: "string" };
const BASE58: JsonSchema = { type: "string", description: "Base58" };
const KEY_TYPE: JsonSchema = { type: "string", enum: keyTypes.map(({ name }) => name) };

/**
 * The schema of what a type's request may say, and of what it must whatever the route: neither type, which a path may
 * name, nor fee, which may be what is asked for. It describes; the rules are those of `transactionFromRequest`, which
 * accepts more (old names, null for what may be missing).
 */
export function requestSchema(definition: TransactionDefinition): JsonSchema {
  const own = [...definition.fields];
  return {
    type: "object",
    title: `${definition.className} members`,
    required: own.filter(([, field]) => field.absent === undefined).map(([name]) => name),
    properties: {
      type: { type: "integer", enum: [definition.type] },
      // No `default`: generators of types take what has one for required.
      version: {
        type: "integer",
        enum: [...definition.versions.keys()],
        description: `${definition.defaultVersion} unless given`,
      },
      timestamp: { ...int64Schema, description: "milliseconds since 1970" },
      fee: int64Schema,
      sender: TEXT,
      senderKeyType: KEY_TYPE,
      senderPublicKey: TEXT,
      sponsor: TEXT,
      sponsorKeyType: KEY_TYPE,
      sponsorPublicKey: TEXT,
      ...Object.fromEntries(own.map(([name, field]) => [name, field.schema])),
      signature: TEXT,
      proofs: { type: "array", items: TEXT },
    },
  };
}

/** Members that the JSON form shows, and those that are always there. */
export interface JsonMembers {
  readonly properties: Readonly<Record<string, JsonSchema>>;
  readonly required: readonly string[];
}

/** The schema without members that nobody knows, in objects at any depth. */
function closed(schema: JsonSchema): JsonSchema {
  const { items, properties } = schema;
  if (items !== undefined) return { ...schema, items: closed(items) };
  if (properties === undefined) return schema;
  const members = Object.entries(properties).map(([name, one]) => [name, closed(one)]);
  return { ...schema, properties: Object.fromEntries(members), additionalProperties: false };
}

/** A member of the JSON form by its name in the definition: its schemas, and whether it is always there. */
function shown(
  definition: TransactionDefinition,
  name: string,
): [Record<string, JsonSchema>, always: boolean] {
  switch (name) {
    case "type":
      return [{ type: { type: "integer", enum: [definition.type] } }, true];
    case "version":
      return [{ version: { type: "integer", enum: [...definition.versions.keys()] } }, true];
    case "id":
    case "senderPublicKey":
      return [{ [name]: BASE58 }, true];
    case "sender":
      return [{ sender: addressSchema }, true];
    case "senderKeyType":
      return [{ senderKeyType: KEY_TYPE }, true];
    case "sponsor":
      return [{ sponsor: addressSchema, sponsorKeyType: KEY_TYPE, sponsorPublicKey: BASE58 }, false];
    case "fee":
    case "timestamp":
      return [{ [name]: int64Schema }, true];
    case "proofs":
      return [{ signature: BASE58, proofs: { type: "array", items: BASE58 } }, false];
  }
  const field = definition.fields.get(name);
  // What a type computes is a count or a sum.
  if (field === undefined) return [{ [name]: int64Schema }, true];
  const isLeftOut = field.absent !== undefined && field.show(field.absent()) === undefined;
  return [{ [name]: closed(field.schema) }, !isLeftOut];
}

/** What the JSON form of a type shows (`transactionJson`). */
export function jsonMembers(definition: TransactionDefinition): JsonMembers {
  const properties: Record<string, JsonSchema> = {};
  const required: string[] = [];
  for (const name of definition.json) {
    const [members, always] = shown(definition, name);
    Object.assign(properties, members);
    if (always) required.push(...Object.keys(members));
  }
  return { properties, required };
}
