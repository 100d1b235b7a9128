import { membersOf } from "../../client/decode.ts";
import { commonTexts } from "../text/common-texts.ts";
import { describeTexts } from "./texts.ts";
import type { Detail, Value } from "./types.ts";

const NONE: Value = { kind: "none" };

function integerOf(json: unknown): bigint | undefined {
  if (typeof json === "bigint") return json;
  return typeof json === "number" && Number.isSafeInteger(json) ? BigInt(json) : undefined;
}

export function plainValue(json: unknown): Value {
  if (json === null || json === undefined) return NONE;
  if (typeof json === "boolean") return { kind: "boolean", value: json };
  if (typeof json === "string") return { kind: "text", text: json };
  const number = integerOf(json);
  if (number !== undefined) return { kind: "number", number };
  if (Array.isArray(json)) return { kind: "list", items: json.map(plainValue) };
  if (typeof json !== "object") return { kind: "text", text: String(json) };
  const members = Object.entries(json).map(([name, member]) => detailOf(name, plainValue(member)));
  return { kind: "object", members };
}

const fromString =
  (make: (text: string) => Value) =>
  (json: unknown): Value =>
    typeof json === "string" ? make(json) : plainValue(json);

const fromInteger =
  (make: (number: bigint) => Value) =>
  (json: unknown): Value => {
    const number = integerOf(json);
    return number === undefined ? plainValue(json) : make(number);
  };

const namedNumber = (names: Readonly<Record<string, string>>) =>
  fromInteger((number) => ({ kind: "number", number, name: names[String(number)] }));

export const amountValue = fromInteger((amount) => ({ kind: "amount", amount }));
export const timeValue = fromInteger((time) => ({ kind: "time", time }));
export const heightValue = fromInteger((height) => ({ kind: "height", height: Number(height) }));
export const addressValue = fromString((address) => ({ kind: "address", address }));
export const transactionValue = fromString((id) => ({ kind: "transaction", id }));
export const blockValue = fromString((id) => ({ kind: "block", id }));
export const signatureValue = fromString((base58) => ({ kind: "signature", base58 }));
const certificateValue = fromString((pem) => ({ kind: "certificate", pem }));
const scriptValue = fromString((text) => ({ kind: "script", base64: base64Of(text) }));

const base64Of = (text: string): string => text.replace(/^base64:/, "");

function entryValue(json: unknown): Value {
  const { key, type, value } = membersOf(json);
  if (typeof key !== "string") return plainValue(json);
  const isBinary = type === "binary" && typeof value === "string";
  return {
    kind: "entry",
    key,
    value: isBinary ? { kind: "binary", base64: base64Of(value) } : plainValue(value),
  };
}

function keyValue(json: unknown): Value {
  const { keyType, publicKey } = membersOf(json);
  return typeof keyType === "string" && typeof publicKey === "string"
    ? { kind: "key", keyType, base58: publicKey }
    : plainValue(json);
}

const bytesValue = fromString((base58) => ({ kind: "bytes", base58 }));
const hashValue = fromString((base58) => ({ kind: "hash", base58 }));

const listOf =
  (itemValue: (json: unknown) => Value) =>
  (json: unknown): Value =>
    Array.isArray(json) ? { kind: "list", items: json.map(itemValue) } : plainValue(json);

function payoutValue(json: unknown): Value {
  const { recipient, amount } = membersOf(json);
  const members = [detailOf("recipient", addressValue(recipient)), detailOf("amount", amountValue(amount))];
  return { kind: "object", members };
}

function anchorsValue(json: unknown): Value {
  if (Array.isArray(json)) return listOf(hashValue)(json);
  const items = Object.entries(membersOf(json)).map(
    ([key, value]) => ({ kind: "pair", key: bytesValue(key), value: hashValue(value) }) as const,
  );
  return { kind: "list", items };
}

const VALUE_BY_MEMBER: Readonly<Record<string, (json: unknown) => Value>> = {
  accounts: listOf(keyValue),
  amount: amountValue,
  anchors: anchorsValue,
  associationType: namedNumber(describeTexts.associationTypes),
  attachment: bytesValue,
  certificate: certificateValue,
  data: listOf(entryValue),
  expires: timeValue,
  leaseId: transactionValue,
  recipient: addressValue,
  script: scriptValue,
  statementType: namedNumber(describeTexts.statementTypes),
  subject: bytesValue,
  totalAmount: amountValue,
  transferCount: plainValue,
  transfers: listOf(payoutValue),
};

/** Undefined if no transaction type has the member. */
export const memberValue = (name: string, json: unknown): Value | undefined => VALUE_BY_MEMBER[name]?.(json);

const { amount, associationType, data, height, id, status, subject, type, version } = commonTexts;
const commonLabels = { amount, associationType, data, height, id, status, subject, type, version };
const labels: ReadonlyMap<string, string> = new Map(
  Object.entries({ ...commonLabels, ...describeTexts.labels }),
);

/** Returns the label in the language of the page. An unknown name is split into words. */
export function labelOf(name: string): string {
  const label = labels.get(name);
  if (label !== undefined) return label;
  const words = name.replace(/([a-z0-9])([A-Z])/g, "$1 $2").toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

export function detailOf(name: string, value: Value, options: Partial<Detail> = {}): Detail {
  return { name, label: labelOf(name), value, ...options };
}
