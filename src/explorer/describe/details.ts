/** Shows the members that the definition of a type lists. */
import type { Answer } from "../../client/index.ts";
import { definitionByType, type NetworkRules, type TransactionDefinition } from "../../transactions/index.ts";
import { describeTexts as texts } from "./texts.ts";
import {
  addressValue,
  amountValue,
  blockValue,
  type Detail,
  detailOf,
  heightValue,
  labelOf,
  plainValue,
  signatureValue,
  timeValue,
  transactionValue,
  type Value,
  valueOfShape,
} from "./value.ts";

/** A transaction as any route returns it: alone, in the pool or in a block. */
export type ShownTransaction = Answer<"POST /transactions/broadcast">;

/** Definitions do not depend on the chain id. */
export function definitionOfShown({ type }: ShownTransaction): TransactionDefinition | undefined {
  return definitionByType(type, rulesOf(0));
}

export function rulesOf(chainId: number): NetworkRules {
  return { chainId, payment: true };
}

/** Returns for example `mass transfer`, or the number of an unknown type. */
export function typeNameOf(transaction: ShownTransaction): string {
  return definitionOfShown(transaction)?.name ?? texts.unknownType(transaction.type);
}

/** Members that have the same kind in every type. */
const VALUE_BY_NAME: Readonly<Record<string, (json: unknown) => Value>> = {
  expires: timeValue,
  totalAmount: amountValue,
};

const labelledDetail: typeof detailOf = (name, value, options) =>
  detailOf(name, value, { label: texts.labels[name] ?? labelOf(name), ...options });

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

/** Members that are shown as part of other ones. */
const JOINED_NAMES = ["senderKeyType", "senderPublicKey", "sponsorKeyType", "sponsorPublicKey"];

/** Members that have their own panel. */
const NESTED_NAMES = ["lease"];

function commonDetails(shown: ShownTransaction, list: readonly CommonDetail[]): Detail[] {
  return list.flatMap(([name, value, field]) => {
    const json = shown[name];
    // The newest block may have no id yet.
    if (json === undefined || json === "") return [];
    return [labelledDetail(name, value(json), { field })];
  });
}

function keyDetails(shown: ShownTransaction, party: "sender" | "sponsor"): Detail[] {
  const base58 = shown[`${party}PublicKey`];
  if (base58 === undefined) return [];
  const keyType = shown[`${party}KeyType`] ?? "ed25519";
  return [labelledDetail(`${party}PublicKey`, { kind: "key", keyType, base58 }, { field: party })];
}

function proofDetails(shown: ShownTransaction): Detail[] {
  const { signature, proofs } = shown;
  const list: Detail[] = [];
  if (signature !== undefined)
    list.push(detailOf("signature", signatureValue(signature), { field: "signature" }));
  if (proofs !== undefined) {
    const items = proofs.map(signatureValue);
    const label = items.length === 1 ? texts.oneProof : texts.labels.proofs;
    list.push(detailOf("proofs", { kind: "list", items }, { label, field: "proofs" }));
  }
  return list;
}

function typeDetails(shown: ShownTransaction, definition: TransactionDefinition): Detail[] {
  const bytesKind = definition.anchors === undefined ? "bytes" : "hash";
  const detail = (name: string): Detail | undefined => {
    const json = shown[name];
    const field = definition.fields.get(name);
    if (json === undefined || (field === undefined && !definition.derived.has(name))) return undefined;
    const value =
      VALUE_BY_NAME[name]?.(json) ??
      (field === undefined ? plainValue(json) : valueOfShape(json, field.shape, bytesKind));
    return labelledDetail(name, value, { field: field === undefined ? undefined : name });
  };
  return definition.json.map(detail).filter((member) => member !== undefined);
}

export function transactionDetails(shown: ShownTransaction): readonly Detail[] {
  const definition = definitionOfShown(shown);
  const describedDetails = [
    ...commonDetails(shown, IDENTITY_DETAILS).map((member) =>
      member.name === "type"
        ? { ...member, value: { kind: "text", text: `${typeNameOf(shown)} (${shown.type})` } as const }
        : member,
    ),
    ...keyDetails(shown, "sender"),
    ...(definition === undefined ? [] : typeDetails(shown, definition)),
    ...commonDetails(shown, FEE_DETAILS),
    ...keyDetails(shown, "sponsor"),
    ...proofDetails(shown),
    ...commonDetails(shown, BLOCK_DETAILS),
  ];
  const names = new Set([
    ...describedDetails.map(({ name }) => name),
    ...JOINED_NAMES,
    ...NESTED_NAMES,
    "blockSignature",
  ]);
  // Newer nodes can send members that this version does not know.
  const others = Object.entries(shown)
    .filter(([name]) => !names.has(name))
    .map(([name, json]) => detailOf(name, plainValue(json)));
  return [...describedDetails, ...others];
}
