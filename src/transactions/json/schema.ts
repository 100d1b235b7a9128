import { keyTypes } from "../../crypto/key-types.ts";
import type { TransactionDefinition } from "../define.ts";
import { addressSchema, int64Schema, type JsonSchema } from "./json-schema.ts";

const TEXT: JsonSchema = { type: "string" };
const BASE58: JsonSchema = { type: "string", description: "Base58" };
const KEY_TYPE: JsonSchema = { type: "string", enum: keyTypes.map(({ name }) => name) };

/** Schema of a request; `type` and `fee` are optional. */
export function requestSchema(definition: TransactionDefinition): JsonSchema {
  const fields = [...definition.fields];
  return {
    type: "object",
    title: `${definition.className} members`,
    required: fields.filter(([, field]) => field.absent === undefined).map(([name]) => name),
    properties: {
      type: { type: "integer", enum: [definition.type] },
      // Without `default`: type generators treat members with a default as required.
      version: {
        type: "integer",
        enum: [...definition.versions.keys()],
        description: `default: ${definition.defaultVersion}`,
      },
      timestamp: { ...int64Schema, description: "milliseconds since 1970" },
      fee: int64Schema,
      sender: TEXT,
      senderKeyType: KEY_TYPE,
      senderPublicKey: TEXT,
      sponsor: TEXT,
      sponsorKeyType: KEY_TYPE,
      sponsorPublicKey: TEXT,
      ...Object.fromEntries(fields.map(([name, field]) => [name, field.schema])),
      signature: TEXT,
      proofs: { type: "array", items: TEXT },
    },
  };
}

export interface JsonMembers {
  readonly properties: Readonly<Record<string, JsonSchema>>;
  readonly required: readonly string[];
}

function withoutOtherProperties(schema: JsonSchema): JsonSchema {
  const { items, properties } = schema;
  if (items !== undefined) return { ...schema, items: withoutOtherProperties(items) };
  if (properties === undefined) return schema;
  const members = Object.entries(properties).map(([name, member]) => [name, withoutOtherProperties(member)]);
  return { ...schema, properties: Object.fromEntries(members), additionalProperties: false };
}

function memberSchemas(
  definition: TransactionDefinition,
  name: string,
): [Record<string, JsonSchema>, isAlwaysPresent: boolean] {
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
  // Derived members are counts or sums.
  if (field === undefined) return [{ [name]: int64Schema }, true];
  const isOmittable = field.absent !== undefined && field.show(field.absent()) === undefined;
  return [{ [name]: withoutOtherProperties(field.schema) }, !isOmittable];
}

export function jsonMembers(definition: TransactionDefinition): JsonMembers {
  const properties: Record<string, JsonSchema> = {};
  const required: string[] = [];
  for (const name of definition.json) {
    const [members, isAlwaysPresent] = memberSchemas(definition, name);
    Object.assign(properties, members);
    if (isAlwaysPresent) required.push(...Object.keys(members));
  }
  return { properties, required };
}
