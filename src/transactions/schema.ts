/** JSON schemas of requests, for the API description. */
import type { TransactionDefinition } from "./define.ts";
import type { JsonSchema } from "./json-schema.ts";

const TEXT: JsonSchema = { type: "string" };
const INT64: JsonSchema = { type: "integer", format: "int64" };

/**
 * The schema of a type's request. It describes; the rules are those of `transactionFromRequest`, which accepts more
 * (old names, null for what may be missing).
 */
export function requestSchema(definition: TransactionDefinition): JsonSchema {
  const own = [...definition.fields];
  return {
    type: "object",
    title: `${definition.className} request`,
    required: ["type", "fee", ...own.filter(([, field]) => field.absent === undefined).map(([name]) => name)],
    properties: {
      type: { type: "integer", enum: [definition.type] },
      version: { type: "integer", enum: [...definition.versions.keys()], default: definition.defaultVersion },
      timestamp: { ...INT64, description: "milliseconds since 1970" },
      fee: INT64,
      sender: TEXT,
      senderKeyType: TEXT,
      senderPublicKey: TEXT,
      sponsor: TEXT,
      sponsorKeyType: TEXT,
      sponsorPublicKey: TEXT,
      ...Object.fromEntries(own.map(([name, field]) => [name, field.schema])),
      signature: TEXT,
      proofs: { type: "array", items: TEXT },
    },
  };
}
