/** Schemas of what requests and answers are made of: plain JSON Schema, as OpenAPI 3.1 takes it. Page 06 §5. */
import Type, { type TSchema } from "typebox";
import { definitions, requestSchema } from "../../transactions/index.ts";

const MAX_HEIGHT = 2_147_483_647;

/** Text in Base58. */
export function base58(description: string): TSchema {
  return Type.String({ description, pattern: "^[1-9A-HJ-NP-Za-km-z]*$" });
}

/** An integer that may be larger than a double holds exactly: up to 64 bits. */
export function int64(description: string): TSchema {
  return Type.Integer({ description, format: "int64" });
}

export const AddressText = Type.String({
  description: "Base58 of 26 bytes. Requests may write `address:` before it.",
  examples: ["3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt"],
});
export const Height = Type.Integer({
  minimum: 0,
  maximum: MAX_HEIGHT,
  description: "The genesis block is 1.",
});
export const Count = Type.Integer({ minimum: 0, maximum: MAX_HEIGHT });
export const Amount = int64("In 10^-8 of the native token.");
export const Timestamp = int64("Milliseconds since 1970-01-01 UTC.");
export const BlockId = base58("Block id: 64 bytes.");
export const TransactionId = base58("Transaction id: 32 bytes.");
export const PublicKeyText = base58("Public key.");
export const SignatureText = base58("Signature: 64 bytes.");
export const TypeName = Type.String({
  description: "Name of a transaction type, e.g. `transfer`, `cancel-lease`.",
});

export const Failure = Type.Object(
  { error: Type.Integer({ description: "Id of the failure." }), message: Type.String() },
  { additionalProperties: true },
);

export const DataEntrySchema = Type.Object({
  key: Type.String(),
  type: Type.Enum(["integer", "boolean", "binary", "string"]),
  value: Type.Unknown({ description: "An integer, a boolean, `base64:` text or text." }),
});

/** A transaction of any type. Page 06 §5.1, §5.2. */
export const TransactionSchema = Type.Object(
  {
    type: Type.Integer({ description: "1 to 127." }),
    version: Type.Optional(Type.Integer()),
    id: TransactionId,
    sender: Type.Optional(AddressText),
    senderKeyType: Type.Optional(Type.String()),
    senderPublicKey: Type.Optional(PublicKeyText),
    fee: Amount,
    timestamp: Timestamp,
    signature: Type.Optional(SignatureText),
    proofs: Type.Optional(Type.Array(SignatureText)),
  },
  { additionalProperties: true, description: "Members of its type stand between `timestamp` and `proofs`." },
);

/** A transaction with what the chain knows of it. Page 06 §5.4. */
export const ChainTransactionSchema = Type.Object(
  {
    ...TransactionSchema.properties,
    height: Type.Optional(Height),
    blockSignature: Type.Optional(BlockId),
    effectiveFee: Type.Optional(Amount),
    effectiveSponsor: Type.Optional(AddressText),
  },
  { additionalProperties: true },
);

/** What makes a transaction, by its type. Page 06 §6. */
export const TransactionRequest = Type.Unsafe<unknown>({
  description: "When the path names the type, `type` may be left out.",
  oneOf: definitions.filter(({ requestable }) => requestable).map(requestSchema),
});

const headerMembers = {
  version: Type.Integer(),
  timestamp: Timestamp,
  reference: base58("Id of the block before."),
  "nxt-consensus": Type.Object({ "base-target": Amount, "generation-signature": base58("32 bytes.") }),
  features: Type.Optional(Type.Array(Type.Integer())),
  feeVote: Type.Integer({ minimum: -1, maximum: 1 }),
  generator: AddressText,
  signature: BlockId,
  blocksize: Type.Integer({ description: "Bytes of the whole block." }),
  transactionCount: Type.Integer(),
};
const alias = {
  nxtconsensus: Type.Object({ basetarget: Amount, generationsignature: base58("32 bytes.") }),
};

/** A block header with its height. Page 06 §5.5. */
export const HeaderSchema = Type.Object({ ...headerMembers, height: Height, ...alias });

/** A whole block. Page 06 §5.6. */
export const BlockSchema = Type.Object({
  ...headerMembers,
  transactions: Type.Array(ChainTransactionSchema),
  fee: Amount,
  burnedFees: Amount,
  miningReward: Amount,
  generatorReward: Amount,
  height: Height,
  ...alias,
});

/** `/blocks/child`: neither amounts nor height. */
export const ChildBlockSchema = Type.Object({
  ...headerMembers,
  transactions: Type.Array(TransactionSchema),
  ...alias,
});

/** Proof that a hash is anchored. Page 07 §18.2. */
export const ChainpointSchema = Type.Object({
  chainpoint: Type.Object({
    "@context": Type.String(),
    type: Type.String(),
    targetHash: Type.String({ description: "Lower-case hexadecimal." }),
    anchors: Type.Array(Type.Object({ type: Type.String(), sourceId: TransactionId })),
    block: Type.Optional(Type.Object({ height: Type.String() })),
    transaction: Type.Optional(Type.Object({ position: Type.String() })),
  }),
});

/** Any object: answers whose members depend on data. */
export const AnyObject = Type.Object({}, { additionalProperties: true });
