/** Values of transactions with their kinds, by which they are rendered. */
import { membersOf } from "../../client/decode.ts";
import type { Shape } from "../../transactions/index.ts";

/** A value with its kind. Texts come from the chain and can contain anything. */
export type Value =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "number"; readonly number: bigint }
  | { readonly kind: "boolean"; readonly value: boolean }
  /** In 10^-8 tokens. */
  | { readonly kind: "amount"; readonly amount: bigint }
  /** Milliseconds since 1970. */
  | { readonly kind: "time"; readonly time: bigint }
  | { readonly kind: "address"; readonly address: string }
  | { readonly kind: "block"; readonly id: string }
  | { readonly kind: "height"; readonly height: number }
  | { readonly kind: "transaction"; readonly id: string }
  /** In Base58. */
  | { readonly kind: "hash" | "bytes" | "signature"; readonly base58: string }
  | { readonly kind: "key"; readonly keyType: string; readonly base58: string }
  /** Base64 without its prefix. */
  | { readonly kind: "script" | "binary"; readonly base64: string }
  | { readonly kind: "certificate"; readonly pem: string }
  /** Entry of a data transaction. */
  | { readonly kind: "entry"; readonly key: string; readonly value: Value }
  | { readonly kind: "pair"; readonly key: Value; readonly value: Value }
  | { readonly kind: "list"; readonly items: readonly Value[] }
  | { readonly kind: "object"; readonly members: readonly Detail[] }
  | { readonly kind: "none" };

export interface Detail {
  /** Name in JSON. */
  readonly name: string;
  readonly label: string;
  readonly value: Value;
  /** Name of its field in the bytes, if any. */
  readonly field?: string | undefined;
}

const NONE: Value = { kind: "none" };

function integerOf(answered: unknown): bigint | undefined {
  if (typeof answered === "bigint") return answered;
  return typeof answered === "number" && Number.isSafeInteger(answered) ? BigInt(answered) : undefined;
}

/** Value without known meaning. */
export function plainValue(answered: unknown): Value {
  if (answered === null || answered === undefined) return NONE;
  if (typeof answered === "boolean") return { kind: "boolean", value: answered };
  if (typeof answered === "string") return { kind: "text", text: answered };
  const number = integerOf(answered);
  if (number !== undefined) return { kind: "number", number };
  if (Array.isArray(answered)) return { kind: "list", items: answered.map(plainValue) };
  if (typeof answered !== "object") return { kind: "text", text: String(answered) };
  const members = Object.entries(answered).map(([name, one]) => detailOf(name, plainValue(one)));
  return { kind: "object", members };
}

function textual(answered: unknown, value: (text: string) => Value): Value {
  return typeof answered === "string" ? value(answered) : plainValue(answered);
}

function integral(answered: unknown, value: (number: bigint) => Value): Value {
  const number = integerOf(answered);
  return number === undefined ? plainValue(answered) : value(number);
}

export const amountValue = (answered: unknown): Value =>
  integral(answered, (amount) => ({ kind: "amount", amount }));
export const timeValue = (answered: unknown): Value => integral(answered, (time) => ({ kind: "time", time }));
export const heightValue = (answered: unknown): Value =>
  integral(answered, (height) => ({ kind: "height", height: Number(height) }));
export const addressValue = (answered: unknown): Value =>
  textual(answered, (address) => ({ kind: "address", address }));
export const transactionValue = (answered: unknown): Value =>
  textual(answered, (id) => ({ kind: "transaction", id }));
export const blockValue = (answered: unknown): Value => textual(answered, (id) => ({ kind: "block", id }));
export const signatureValue = (answered: unknown): Value =>
  textual(answered, (base58) => ({ kind: "signature", base58 }));

const base64Of = (text: string): string => text.replace(/^base64:/, "");

function entryValue(answered: unknown): Value {
  const { key, type, value } = membersOf(answered);
  if (typeof key !== "string") return plainValue(answered);
  const isBinary = type === "binary" && typeof value === "string";
  return {
    kind: "entry",
    key,
    value: isBinary ? { kind: "binary", base64: base64Of(value) } : plainValue(value),
  };
}

function keyValue(answered: unknown): Value {
  const { keyType, publicKey } = membersOf(answered);
  return typeof keyType === "string" && typeof publicKey === "string"
    ? { kind: "key", keyType, base58: publicKey }
    : plainValue(answered);
}

const ID = 32;

/** Meaning of byte strings if only the type tells. */
type BytesKind = "hash" | "bytes";

/** Returns a JSON value with the kind that its type definition gives. */
export function shapedValue(answered: unknown, shape: Shape, bytesKind: BytesKind): Value {
  if (answered === null || answered === undefined) return NONE;
  switch (shape.kind) {
    case "int64":
    case "int32":
      return plainValue(answered);
    case "amount":
      return amountValue(answered);
    case "address":
      return addressValue(answered);
    case "account":
      return keyValue(answered);
    case "entry":
      return entryValue(answered);
    case "script":
      return textual(answered, (text) => ({ kind: "script", base64: base64Of(text) }));
    case "certificate":
      return textual(answered, (pem) => ({ kind: "certificate", pem }));
    case "bytes":
      // Fixed 32 bytes are transaction ids.
      if (shape.min === ID && shape.max === ID) return transactionValue(answered);
      return textual(answered, (base58) => ({ kind: bytesKind, base58 }));
    case "optional":
      return shapedValue(answered, shape.of, bytesKind);
    case "list":
      if (!Array.isArray(answered)) return plainValue(answered);
      return { kind: "list", items: answered.map((one) => shapedValue(one, shape.of, bytesKind)) };
    case "object": {
      const members = membersOf(answered);
      return {
        kind: "object",
        members: Object.entries(shape.of).map(([name, of]) =>
          detailOf(name, shapedValue(members[name], of, bytesKind)),
        ),
      };
    }
    case "pairs":
      return {
        kind: "list",
        items: Object.entries(membersOf(answered)).map(([key, value]) => ({
          kind: "pair",
          key: shapedValue(key, shape.of, "bytes"),
          value: shapedValue(value, shape.of, bytesKind),
        })),
      };
  }
}

/** `senderPublicKey`: "Sender public key". */
export function labelOf(name: string): string {
  const words = name.replace(/([a-z0-9])([A-Z])/g, "$1 $2").toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Builds a detail; its label follows from the name by default. */
export function detailOf(name: string, value: Value, more: Partial<Detail> = {}): Detail {
  return { name, label: labelOf(name), value, ...more };
}
