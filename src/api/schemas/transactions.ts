/** Schemas of transactions in requests and answers, derived from the definitions of their types. Page 06 §5.1 to §5.4. */
import Type, { type Static, type TObject, type TProperties, type TUnsafe } from "typebox";
import type { JsonOut } from "../../bytes/json.ts";
import { definitions, jsonMembers, requestSchema } from "../../transactions/index.ts";
import { AddressText, Amount, BlockId, Height, schemaReference } from "./common.ts";

/** A transaction of an answer in a program. The members that its type adds are those of page 02 §10. */
export interface ShownTransaction {
  readonly type: number;
  readonly version?: number;
  readonly id: string;
  readonly sender?: string;
  readonly senderKeyType?: string;
  readonly senderPublicKey?: string;
  readonly sponsor?: string;
  readonly sponsorKeyType?: string;
  readonly sponsorPublicKey?: string;
  readonly fee: bigint;
  readonly timestamp: bigint;
  readonly signature?: string;
  readonly proofs?: readonly string[];
  /** Amounts and other 64-bit integers are `bigint`. */
  readonly [member: string]: unknown;
}

/** One for each type, with the members that all forms show. */
const shownByType = definitions.map((definition) => {
  const { properties, required } = jsonMembers(definition);
  return { title: definition.className, type: "object", properties, required };
});

/** Tells apart which of the schemas is meant, for generators of code. */
function byType(): object {
  const mapping = definitions.map(({ type, className }) => [type, schemaReference(className)]);
  return { propertyName: "type", mapping: Object.fromEntries(mapping) };
}

/** A transaction of any type with further members. */
function transactionWith<const Members extends TProperties>(
  title: string,
  more: Members,
): TUnsafe<ShownTransaction & Static<TObject<Members>>> {
  return Type.Unsafe<ShownTransaction & Static<TObject<Members>>>({
    title,
    allOf: [{ anyOf: shownByType }, Type.Object(more)],
    unevaluatedProperties: false,
  });
}

/** What the block did with it. */
const effectMembers = { effectiveFee: Amount, effectiveSponsor: Type.Optional(AddressText) };

/** A transaction alone. Page 06 §5.1, §5.2. */
export const TransactionSchema = Type.Unsafe<ShownTransaction>({
  title: "Transaction",
  anyOf: shownByType,
  discriminator: byType(),
  unevaluatedProperties: false,
});

/** What some types show of the state of the chain: whether a lease is active, and the lease that is canceled. */
const state = {
  status: Type.Optional(Type.Enum(["active", "canceled"])),
  lease: Type.Optional(Type.Union([TransactionSchema, Type.Null()])),
};

/** One that waits for a block. Page 06 §5.4. */
export const WaitingTransactionSchema = transactionWith("WaitingTransaction", state);

/** One that is looked up on the chain. Page 06 §5.4. */
export const ChainTransactionSchema = transactionWith("ChainTransaction", {
  ...state,
  height: Height,
  blockSignature: BlockId,
  ...effectMembers,
});

export const BlockTransactionSchema = transactionWith("BlockTransaction", effectMembers);

export const ActiveLeaseSchema = transactionWith("Lease", { height: Height });

/** A request in a program: the members that its type asks for, amounts as `bigint`. */
type TransactionRequestMembers = { readonly [member: string]: JsonOut };

const requestable = definitions.filter((definition) => definition.requestable);
const membersByType = requestable.map(requestSchema);
const requiredMembers = { fee: Amount };

/** What makes a transaction, by its type. Page 06 §6. */
export const TransactionRequest = Type.Unsafe<TransactionRequestMembers>({
  title: "TransactionRequest",
  anyOf: requestable.map(({ className, type }, i) => ({
    title: `${className} request`,
    allOf: [membersByType[i], Type.Object({ type: Type.Enum([type]), ...requiredMembers })],
  })),
  // Without the discriminator that answers have: what makes requests of a description takes its values for texts.
});

/** The same where the path names the type. */
export const NamedTransactionRequest = Type.Unsafe<TransactionRequestMembers>({
  title: "NamedTransactionRequest",
  allOf: [{ anyOf: membersByType }, Type.Object(requiredMembers)],
});

/** The same where the fee is what is asked for. */
export const FeelessTransactionRequest = Type.Unsafe<TransactionRequestMembers>({
  title: "FeelessTransactionRequest",
  allOf: [{ anyOf: membersByType }, Type.Object({ type: Type.Integer() })],
});
