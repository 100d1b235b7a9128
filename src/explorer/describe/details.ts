import type { Answer } from "../../client/index.ts";
import { describeTexts as texts } from "./texts.ts";
import type { Detail, Value } from "./types.ts";
import {
  addressValue,
  amountValue,
  blockValue,
  detailOf,
  heightValue,
  memberValue,
  plainValue,
  signatureValue,
  timeValue,
  transactionValue,
} from "./value.ts";

export type ShownTransaction = Answer<"POST /transactions/broadcast">;

/** Name of a transaction type in the API. */
export type TypeName = keyof typeof texts.types;

/** By type number. */
export const TYPE_NAMES: Readonly<Record<number, TypeName>> = {
  1: "genesis",
  2: "payment",
  4: "transfer",
  8: "lease",
  9: "cancel-lease",
  11: "mass-transfer",
  12: "data",
  13: "set-script",
  15: "anchor",
  16: "issue-association",
  17: "revoke-association",
  18: "sponsorship",
  19: "cancel-sponsorship",
  20: "register",
  21: "burn",
  22: "mapped-anchor",
  23: "statement",
  24: "certificate",
};

/** Text for a type name of the API; unknown names are unchanged. */
export const typeText = (name: string): string =>
  (texts.types as Readonly<Record<string, string>>)[name] ?? name;

/** For example `mass transfer`, or the number of an unknown type. */
export function typeNameOf({ type }: ShownTransaction): string {
  const name = TYPE_NAMES[type];
  return name === undefined ? texts.unknownType(type) : texts.types[name];
}

/** `field`: name of the field in the transaction's bytes. */
type CommonDetail = readonly [name: string, value: (json: unknown) => Value, field?: string];

const IDENTITY_DETAILS: readonly CommonDetail[] = [
  ["id", transactionValue],
  ["type", plainValue, "type"],
  ["version", plainValue, "version"],
  ["timestamp", timeValue, "timestamp"],
  ["sender", addressValue, "sender"],
];

const FEE_DETAILS: readonly CommonDetail[] = [
  ["fee", amountValue, "fee"],
  ["effectiveFee", amountValue],
  ["sponsor", addressValue, "sponsor"],
  ["effectiveSponsor", addressValue],
];

const BLOCK_DETAILS: readonly CommonDetail[] = [
  ["status", plainValue],
  ["height", heightValue],
  ["blockSignature", blockValue],
];

const KEY_MEMBER_NAMES = ["senderKeyType", "senderPublicKey", "sponsorKeyType", "sponsorPublicKey"];

/** Members that the page shows separately. */
const NESTED_NAMES = ["lease"];

function commonDetails(shown: ShownTransaction, list: readonly CommonDetail[]): Detail[] {
  return list.flatMap(([name, value, field]) => {
    const json = shown[name];
    // `blockSignature` is empty if the newest block is final.
    if (json === undefined || json === "") return [];
    return [detailOf(name, value(json), { field })];
  });
}

function keyDetails(shown: ShownTransaction, party: "sender" | "sponsor"): Detail[] {
  const base58 = shown[`${party}PublicKey`];
  if (base58 === undefined) return [];
  const keyType = shown[`${party}KeyType`] ?? "ed25519";
  return [detailOf(`${party}PublicKey`, { kind: "key", keyType, base58 }, { field: party })];
}

function proofDetails(shown: ShownTransaction): Detail[] {
  const { signature, proofs } = shown;
  const list: Detail[] = [];
  if (signature !== undefined)
    list.push(detailOf("signature", signatureValue(signature), { field: "signature" }));
  if (proofs !== undefined) {
    const items = proofs.map(signatureValue);
    const label = items.length === 1 ? texts.labels.signature : texts.labels.proofs;
    list.push(detailOf("proofs", { kind: "list", items }, { label, field: "proofs" }));
  }
  return list;
}

/** Members that no field in the bytes contains. */
const DERIVED_NAMES = ["transferCount", "totalAmount"];

function typeDetails(shown: ShownTransaction): Detail[] {
  if (TYPE_NAMES[shown.type] === undefined) return [];
  return Object.entries(shown).flatMap(([name, json]) => {
    const value = memberValue(name, json);
    if (value === undefined || json === undefined) return [];
    return [detailOf(name, value, { field: DERIVED_NAMES.includes(name) ? undefined : name })];
  });
}

export function transactionDetails(shown: ShownTransaction): readonly Detail[] {
  const describedDetails = [
    ...commonDetails(shown, IDENTITY_DETAILS).map((member) =>
      member.name === "type"
        ? { ...member, value: { kind: "text", text: `${typeNameOf(shown)} (${shown.type})` } as const }
        : member,
    ),
    ...keyDetails(shown, "sender"),
    ...typeDetails(shown),
    ...commonDetails(shown, FEE_DETAILS),
    ...keyDetails(shown, "sponsor"),
    ...proofDetails(shown),
    ...commonDetails(shown, BLOCK_DETAILS),
  ];
  const names = new Set([
    ...describedDetails.map(({ name }) => name),
    ...KEY_MEMBER_NAMES,
    ...NESTED_NAMES,
    "blockSignature",
  ]);
  // Newer nodes can send members that this version does not know.
  const others = Object.entries(shown)
    .filter(([name]) => !names.has(name))
    .map(([name, json]) => detailOf(name, plainValue(json)));
  return [...describedDetails, ...others];
}
