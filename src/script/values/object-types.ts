/** Page 08 §15. */
import { BOOLEAN, BYTES, INT, listOf, type ObjectType, STRING, type Type, UNIT, unionOf } from "./types.ts";

type Fields = readonly (readonly [name: string, type: Type])[];

function objectType(name: string, ...fields: Fields): ObjectType {
  return { kind: "object", name, fields };
}

export const ADDRESS = objectType("Address", ["bytes", BYTES]);
export const TRANSFER = objectType("Transfer", ["recipient", ADDRESS], ["amount", INT]);
export const DATA_ENTRY = objectType(
  "DataEntry",
  ["key", STRING],
  ["value", unionOf(INT, BOOLEAN, BYTES, STRING)],
);

const headerFields: Fields = [
  ["id", BYTES],
  ["fee", INT],
  ["timestamp", INT],
  ["version", INT],
];
const signedFields: Fields = [
  ["sender", ADDRESS],
  ["senderPublicKey", BYTES],
  ["bodyBytes", BYTES],
  ["proofs", listOf(BYTES)],
];

export function transactionType(name: string, ...fields: Fields): ObjectType {
  return objectType(name, ...fields, ...headerFields, ...signedFields);
}

const GENESIS_TRANSACTION = objectType(
  "GenesisTransaction",
  ["amount", INT],
  ["recipient", ADDRESS],
  ...headerFields,
);
export const TRANSFER_TRANSACTION = transactionType(
  "TransferTransaction",
  ["amount", INT],
  ["recipient", ADDRESS],
  ["attachment", BYTES],
);
export const LEASE_TRANSACTION = transactionType("LeaseTransaction", ["amount", INT], ["recipient", ADDRESS]);
export const LEASE_CANCEL_TRANSACTION = transactionType("LeaseCancelTransaction", ["leaseId", BYTES]);
export const MASS_TRANSFER_TRANSACTION = transactionType(
  "MassTransferTransaction",
  ["totalAmount", INT],
  ["transfers", listOf(TRANSFER)],
  ["transferCount", INT],
  ["attachment", BYTES],
);
export const SET_SCRIPT_TRANSACTION = transactionType("SetScriptTransaction", [
  "script",
  unionOf(BYTES, UNIT),
]);
export const ANCHOR_TRANSACTION = transactionType(
  "AnchorTransaction",
  ["anchorCount", INT],
  ["anchors", listOf(BYTES)],
);
export const DATA_TRANSACTION = transactionType("DataTransaction", ["data", listOf(DATA_ENTRY)]);
export const ISSUE_ASSOCIATION_TRANSACTION = transactionType(
  "IssueAssociationTransaction",
  ["assocType", INT],
  ["recipient", ADDRESS],
);
export const REVOKE_ASSOCIATION_TRANSACTION = transactionType(
  "RevokeAssociationTransaction",
  ["assocType", INT],
  ["recipient", ADDRESS],
);
export const SPONSORSHIP_TRANSACTION = transactionType("SponsorshipTransaction", ["recipient", ADDRESS]);
export const CANCEL_SPONSORSHIP_TRANSACTION = transactionType("CancelSponsorshipTransaction", [
  "recipient",
  ADDRESS,
]);
export const REGISTER_TRANSACTION = transactionType("RegisterTransaction", ["accounts", listOf(BYTES)]);

/** Types of `tx`, in the order of error messages. Page 08 §15.2. */
export const TRANSACTION_TYPES: readonly ObjectType[] = [
  TRANSFER_TRANSACTION,
  LEASE_TRANSACTION,
  LEASE_CANCEL_TRANSACTION,
  MASS_TRANSFER_TRANSACTION,
  SET_SCRIPT_TRANSACTION,
  ANCHOR_TRANSACTION,
  DATA_TRANSACTION,
  ISSUE_ASSOCIATION_TRANSACTION,
  REVOKE_ASSOCIATION_TRANSACTION,
  SPONSORSHIP_TRANSACTION,
  CANCEL_SPONSORSHIP_TRANSACTION,
  REGISTER_TRANSACTION,
];

/** Each type has a constructor of the same name. */
export const OBJECT_TYPES: readonly ObjectType[] = [
  ADDRESS,
  TRANSFER,
  DATA_ENTRY,
  GENESIS_TRANSACTION,
  ...TRANSACTION_TYPES,
];

export const TX_TYPE = unionOf(...TRANSACTION_TYPES);
