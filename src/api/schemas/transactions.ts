/** Page 06 §5.1 to §5.4. */
import Type, { type Static, type TObject, type TProperties, type TUnsafe } from "typebox";
import type { JsonOut } from "../../bytes/json.ts";
import { definitions, jsonMembers, requestSchema } from "../../transactions/index.ts";
import { AddressText, Amount, BlockId, Height, schemaReference } from "./common.ts";

/** Page 02 §10 lists the members that each type adds. */
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

const shownByType = definitions.map((definition) => {
  const { properties, required } = jsonMembers(definition);
  return { title: definition.className, type: "object", properties, required };
});

function discriminatorByType(): object {
  const mapping = definitions.map(({ type, className }) => [type, schemaReference(className)]);
  return { propertyName: "type", mapping: Object.fromEntries(mapping) };
}

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

const effectMembers = { effectiveFee: Amount, effectiveSponsor: Type.Optional(AddressText) };

/** Page 06 §5.1, §5.2. */
export const TransactionSchema = Type.Unsafe<ShownTransaction>({
  title: "Transaction",
  anyOf: shownByType,
  discriminator: discriminatorByType(),
  unevaluatedProperties: false,
});

const stateMembers = {
  status: Type.Optional(Type.Enum(["active", "canceled"])),
  lease: Type.Optional(Type.Union([TransactionSchema, Type.Null()])),
};

/** Page 06 §5.4. */
export const WaitingTransactionSchema = transactionWith("WaitingTransaction", stateMembers);

export const ChainTransactionSchema = transactionWith("ChainTransaction", {
  ...stateMembers,
  height: Height,
  blockSignature: BlockId,
  ...effectMembers,
});

export const BlockTransactionSchema = transactionWith("BlockTransaction", effectMembers);

export const ActiveLeaseSchema = transactionWith("Lease", { height: Height });

type TransactionRequestMembers = { readonly [member: string]: JsonOut };

const requestableTypes = definitions.filter((definition) => definition.requestable);
const membersByType = requestableTypes.map(requestSchema);
const requiredMembers = { fee: Amount };

/** Page 06 §6. */
export const TransactionRequest = Type.Unsafe<TransactionRequestMembers>({
  title: "TransactionRequest",
  anyOf: requestableTypes.map(({ className, type }, i) => ({
    title: `${className} request`,
    allOf: [membersByType[i], Type.Object({ type: Type.Enum([type]), ...requiredMembers })],
  })),
  // No discriminator: client generators would turn its values into strings.
});

/** Without `type`, which is in the path. */
export const NamedTransactionRequest = Type.Unsafe<TransactionRequestMembers>({
  title: "NamedTransactionRequest",
  allOf: [{ anyOf: membersByType }, Type.Object(requiredMembers)],
});

/** Without `fee`, which the route computes. */
export const FeelessTransactionRequest = Type.Unsafe<TransactionRequestMembers>({
  title: "FeelessTransactionRequest",
  allOf: [{ anyOf: membersByType }, Type.Object({ type: Type.Integer() })],
});
