/** Shared schemas of requests and answers: JSON Schema for OpenAPI 3.1. Page 06 §5. */
import Type, { type TObject, type TProperties, type TString, type TUnsafe } from "typebox";
import { GENESIS_ID, GENESIS_TRANSACTION, ROOT, ROOT_KEY } from "../openapi/dev-examples.ts";

const MAX_HEIGHT = 2_147_483_647;

/**
 * An object without further members.
 * @param title name in the OpenAPI document
 */
export function object<const Members extends TProperties>(
  members: Members,
  title?: string,
): TObject<Members> {
  return Type.Object(members, {
    ...(title === undefined ? {} : { title }),
    additionalProperties: false,
  });
}

function schemaName(title: string): string {
  return title.replace(/ (\w)/g, (_, first: string) => first.toUpperCase());
}

export function schemaReference(title: string): string {
  return `#/components/schemas/${schemaName(title)}`;
}

export function base58(description: string, example?: string): TString {
  const examples = example === undefined ? {} : { examples: [example] };
  return Type.String({ description, pattern: "^[1-9A-HJ-NP-Za-km-z]*$", ...examples });
}

/** An integer that may exceed 2^53; `bigint` in TypeScript clients. */
export function int64(description: string): TUnsafe<bigint> {
  return Type.Unsafe<bigint>({ type: "integer", format: "int64", description });
}

/** A new node of the network `dev` accepts all examples of these schemas. */
export const AddressText = Type.String({
  description: "Base58 of 26 bytes. Requests may use the prefix `address:`.",
  examples: [ROOT],
});
export const Height = Type.Integer({
  minimum: 0,
  maximum: MAX_HEIGHT,
  description: "The genesis block has height 1.",
  examples: [1],
});
export const Count = Type.Integer({ minimum: 0, maximum: MAX_HEIGHT, examples: [1] });
export const Amount = int64("In units of 10^-8 token.");
export const BaseTarget = int64("Base target: the smaller it is, the longer the time between blocks.");
export const Timestamp = int64("Milliseconds since 1970-01-01 UTC.");
export const BlockId = base58("Block id: 64 bytes.", GENESIS_ID);
export const TransactionId = base58(
  "Transaction id: 32 bytes, 64 for genesis transactions.",
  GENESIS_TRANSACTION,
);
export const PublicKeyText = base58("Public key.", ROOT_KEY);
export const SignatureText = base58("Signature: 64 bytes.");
export const TypeName = Type.String({
  description: "Name of a transaction type, e.g. `transfer`, `cancel-lease`.",
  examples: ["transfer"],
});

export const WaitMs = Type.Integer({
  minimum: 0,
  maximum: 20_000,
  description: "Maximum time to wait until a block contains the transaction or hash, ms.",
  examples: [0],
});

export const DataEntrySchema = object(
  {
    key: Type.String(),
    type: Type.Enum(["integer", "boolean", "binary", "string"]),
    value: Type.Unsafe<bigint | boolean | string>({
      type: ["integer", "boolean", "string"],
      format: "int64",
      description: "An integer, a boolean, `base64:` and bytes in Base64, or a text.",
    }),
  },
  "DataEntry",
);

/** Page 07 §18.2. */
export const ChainpointSchema = object(
  {
    chainpoint: object({
      "@context": Type.String(),
      type: Type.String(),
      targetHash: Type.String({ description: "Lower-case hexadecimal." }),
      merkleRoot: Type.Optional(
        Type.String({ description: "Root of the tree if the hash was anchored in one, hexadecimal." }),
      ),
      proof: Type.Optional(
        Type.Array(Type.Union([object({ left: Type.String() }), object({ right: Type.String() })]), {
          description: "Siblings on the path from the hash to the root.",
        }),
      ),
      anchors: Type.Array(object({ type: Type.String(), sourceId: TransactionId })),
      block: Type.Optional(object({ height: Type.String() })),
      transaction: Type.Optional(object({ position: Type.String() })),
    }),
  },
  "Chainpoint",
);

export const EVENT_STREAM = "text/event-stream";

/** Frames of `units/frames.ts`. */
export const UNIT_STREAM = "application/vnd.holdfast.units";

/** The answer of a route that always fails or redirects. */
export const Nothing = Type.Never();
