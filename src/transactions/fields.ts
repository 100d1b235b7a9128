import { base58Length, decodeBase58, decodeBase58OrZerosIfTooLong, encodeBase58 } from "../bytes/base58.ts";
import { decodeBase64, encodeBase64 } from "../bytes/base64.ts";
import { DecodeError } from "../bytes/errors.ts";
import { JsonNumber, type JsonOut, type JsonValue } from "../bytes/json.ts";
import { hashString, immutableMapEntries, immutableSetOrder } from "../collections/hash-trie.ts";
import { InvalidAddressError, parseAddress, ShortAddressError } from "../crypto/addresses.ts";
import type { PublicKey } from "../crypto/key-types.ts";
import { parsePublicKey } from "../crypto/public-keys.ts";
import { addressTextOf } from "./address-cache.ts";
import type { NetworkRules } from "./base.ts";
import { type DataEntry, entriesWire, entryFromJson, entryJson } from "./data-entry.ts";
import { genericError, validationError } from "./errors.ts";
import { type Faults, refuse, refuseWithCause } from "./faults.ts";
import { addressSchema, int64Schema, type JsonSchema } from "./json/json-schema.ts";
import * as wire from "./wire.ts";

/** Converts a member's JSON, which was already read, to its value. @throws RequestRefusal */
export type Convert<T> = (network: NetworkRules) => T;

/** Page 02 §9.1. */
export interface RequestMember<T> {
  /** Old name, used if the member is unreadable, or missing and required. Page 02 §10.4, §10.9. */
  readonly alias?: string;
  read(json: JsonValue, path: string, faults: Faults): Convert<T> | undefined;
}

/** Valid values, for generators of test data. */
export type Shape =
  | { readonly kind: "int64" }
  | { readonly kind: "int32" }
  /** At least `min`, and small enough that the sum with other amounts and a fee fits 64 bits. */
  | { readonly kind: "amount"; readonly min: bigint }
  | { readonly kind: "address" | "account" | "entry" | "script" | "certificate" }
  | { readonly kind: "bytes"; readonly min: number; readonly max: number }
  | { readonly kind: "optional"; readonly of: Shape }
  | { readonly kind: "list"; readonly of: Shape; readonly max: number; readonly distinct: boolean }
  | { readonly kind: "object"; readonly of: Readonly<Record<string, Shape>> }
  | { readonly kind: "pairs"; readonly of: Shape; readonly max: number };

export interface Field<T> {
  readonly wire: wire.Wire<T>;
  /** Returns JSON; undefined omits the member. */
  show(value: T): JsonOut;
  readonly request: RequestMember<T>;
  /** Value for versions or requests without the member. If not set, requests must have the member. */
  readonly absent?: () => T;
  readonly shape: Shape;
  readonly schema: JsonSchema;
}

export function text<T>(convert: (text: string, network: NetworkRules) => T): RequestMember<T> {
  return {
    read: (json, path, faults) => {
      if (typeof json !== "string") return faults.add(path, "error.expected.jsstring");
      return (network) => convert(json, network);
    },
  };
}

/** The longest member is a subject of 256 bytes. */
const MAX_BASE58_TEXT = base58Length(256);

/**
 * Decodes Base58. A text too long for any member becomes zeros of its decoded length: checks use only the length.
 * @throws DecodeError
 */
export function decodeAnyLengthBase58(text: string): Uint8Array {
  return decodeBase58OrZerosIfTooLong(text, MAX_BASE58_TEXT);
}

function base58<T>(convert: (bytes: Uint8Array) => T): RequestMember<T> {
  return {
    read: (json, path, faults) => {
      if (typeof json !== "string") return faults.add(path, "Expected JsString");
      try {
        const bytes = decodeAnyLengthBase58(json);
        return () => convert(bytes);
      } catch (error) {
        if (!(error instanceof DecodeError)) throw error;
        return faults.add(path, `Error parsing base58: ${error.message}`);
      }
    },
  };
}

function elements<T>(item: RequestMember<T>): RequestMember<readonly T[]> {
  return {
    read: (json, path, faults) => {
      if (!Array.isArray(json)) return faults.add(path, "error.expected.jsarray");
      const converts: Convert<T>[] = [];
      json.forEach((element, i) => {
        const convert = item.read(element, `${path}[${i}]`, faults);
        if (convert !== undefined) converts.push(convert);
      });
      return (network) => converts.map((convert) => convert(network));
    },
  };
}

function members<T extends object>(
  readers: { readonly [K in keyof T]: RequestMember<T[K]> },
): RequestMember<T> {
  return {
    read: (json, path, faults) => {
      if (!(json instanceof Map)) return faults.add(path, "error.expected.jsobject");
      const converts: [name: string, convert: Convert<unknown>][] = [];
      for (const [name, reader] of Object.entries<RequestMember<unknown>>(readers)) {
        const convert = readRequired(json.get(name), reader, `${path}.${name}`, faults);
        if (convert !== undefined) converts.push([name, convert]);
      }
      // If a member is missing, the request is rejected before this call.
      return (network) =>
        Object.fromEntries(converts.map(([name, convert]) => [name, convert(network)])) as T;
    },
  };
}

export function readRequired<T>(
  json: JsonValue | undefined,
  reader: RequestMember<T>,
  path: string,
  faults: Faults,
): Convert<T> | undefined {
  if (json === undefined) return faults.add(path, "error.path.missing");
  return reader.read(json, path, faults);
}

/** @param name type name in the reference's error */
function integer<T>(bits: number, name: string, convert: (value: bigint) => T): RequestMember<T> {
  return {
    read: (json, path, faults) => {
      if (!(json instanceof JsonNumber)) return faults.add(path, "error.expected.jsnumber");
      const value = json.toInt64();
      const fits = value !== undefined && BigInt.asIntN(bits, value) === value;
      return fits ? () => convert(value) : faults.add(path, `error.expected.${name}`);
    },
  };
}

export const int64Member: RequestMember<bigint> = integer(64, "long", (value) => value);

export const int8Member: RequestMember<number> = integer(8, "byte", Number);

export const textMember: RequestMember<string> = text((value) => value);

export const base58Member: RequestMember<Uint8Array> = base58((bytes) => bytes);

function refuseInvalidAddress<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof ShortAddressError) refuseWithCause(error.message);
    if (error instanceof InvalidAddressError) refuse(validationError("InvalidAddress", error.message));
    throw error;
  }
}

/** The text may have the prefix `address:`. Page 01 §8.3. */
export function requestedAddress(value: string, network: NetworkRules): Uint8Array {
  return refuseInvalidAddress(() => parseAddress(value, network.chainId));
}

/** Page 01 §5. */
export function requestedKey(value: string, keyType: string): PublicKey {
  return refuseInvalidAddress(() => parsePublicKey(value, keyType));
}

const NO_BYTES = new Uint8Array(0);

const base58Schema: JsonSchema = { type: "string", description: "bytes in Base58" };

function objectListSchema(properties: Readonly<Record<string, JsonSchema>>): JsonSchema {
  return { type: "array", items: { type: "object", required: Object.keys(properties), properties } };
}

export function withAlias<T>(field: Field<T>, name: string): Field<T> {
  return { ...field, request: { ...field.request, alias: name } };
}

export const int64: Field<bigint> = {
  wire: wire.int64,
  show: (value) => value,
  request: int64Member,
  shape: { kind: "int64" },
  schema: int64Schema,
};

/** In 10^-8 tokens. @param min lowest valid value */
export function amount(min: bigint): Field<bigint> {
  return { ...int64, shape: { kind: "amount", min } };
}

function optional<T>(
  field: Field<T>,
  encoding: wire.Wire<T | undefined>,
  request: RequestMember<T | undefined>,
): Field<T | undefined> {
  return {
    wire: encoding,
    show: (value) => (value === undefined ? undefined : field.show(value)),
    request,
    absent: () => undefined,
    shape: { kind: "optional", of: field.shape },
    schema: field.schema,
  };
}

export const optionalInt64: Field<bigint | undefined> = optional(int64, wire.int64OrNone, int64Member);

export const address: Field<Uint8Array> = {
  wire: wire.address,
  show: addressTextOf,
  request: text(requestedAddress),
  shape: { kind: "address" },
  schema: addressSchema,
};

export const optionalAddress: Field<Uint8Array | undefined> = optional(
  address,
  wire.flaggedAddress,
  text((value, network) => (value === "" ? undefined : requestedAddress(value, network))),
);

/** Requests may contain any length; a check rejects wrong lengths. */
export const id: Field<Uint8Array> = {
  wire: wire.fixedBytes(32),
  show: encodeBase58,
  request: base58Member,
  shape: { kind: "bytes", min: 32, max: 32 },
  schema: base58Schema,
};

/** Up to `max` bytes, in Base58; empty by default in requests. */
export function bytes(max: number): Field<Uint8Array> {
  return {
    wire: wire.bytes16,
    show: encodeBase58,
    request: base58Member,
    absent: () => NO_BYTES,
    shape: { kind: "bytes", min: 0, max },
    schema: base58Schema,
  };
}

/** Up to `max` bytes, in Base58; empty means absent. */
export function optionalBytes(max: number): Field<Uint8Array | undefined> {
  return optional(
    { ...bytes(max), shape: { kind: "bytes", min: 1, max } },
    wire.bytes16OrNone,
    base58((value) => (value.length === 0 ? undefined : value)),
  );
}

function boundedBase58(value: string, max: number, error: string): Uint8Array {
  try {
    return decodeBase58(value, base58Length(max));
  } catch (cause) {
    if (!(cause instanceof DecodeError)) throw cause;
    return refuse(genericError(error));
  }
}

/** Up to `maxCount` distinct byte strings of up to `maxLength` bytes. */
export function hashes(maxCount: number, maxLength: number): Field<readonly Uint8Array[]> {
  return {
    wire: wire.list16(wire.bytes16),
    show: (values) => values.map(encodeBase58),
    request: elements(text((value) => boundedBase58(value, maxLength, "invalid anchor"))),
    shape: { kind: "list", of: { kind: "bytes", min: 0, max: maxLength }, max: maxCount, distinct: true },
    schema: { type: "array", items: base58Schema },
  };
}

/** Pairs with distinct keys, in the reference's map order. */
type Pairs = readonly (readonly [key: Uint8Array, value: Uint8Array])[];

const pairsOnWire = wire.list16<readonly [Uint8Array, Uint8Array]>({
  read: (reader, network) => [wire.bytes16.read(reader, network), wire.bytes16.read(reader, network)],
  write: (writer, [key, value]) => {
    wire.bytes16.write(writer, key);
    wire.bytes16.write(writer, value);
  },
});

type TextPair = readonly [key: string, value: string];

/** Keys must be distinct. Page 01 §13. */
function sortLikeReferenceMap(list: readonly TextPair[]): readonly TextPair[] {
  return immutableSetOrder(list, ([key]) => hashString(key));
}

/** Up to `maxCount` pairs of byte strings of up to `maxLength` bytes. Page 02 §10.15. */
export function pairs(maxCount: number, maxLength: number): Field<Pairs> {
  return {
    wire: {
      read: (reader, network) => {
        const read = pairsOnWire.read(reader, network);
        const canonical = immutableMapEntries(read);
        // If the lengths are equal, no duplicate key was dropped.
        if (canonical.length !== read.length || canonical.some(([key], i) => key !== read[i][0]))
          reader.isNonCanonical = true;
        return canonical;
      },
      write: pairsOnWire.write,
    },
    show: (list) =>
      new Map(sortLikeReferenceMap(list.map(([key, value]) => [encodeBase58(key), encodeBase58(value)]))),
    request: {
      read: (json, path, faults) => {
        if (!(json instanceof Map)) return faults.add(path, "error.expected.jsobject");
        const textPairs: TextPair[] = [];
        for (const [key, value] of json) {
          if (typeof value === "string") textPairs.push([key, value]);
          else faults.add(`${path}.${key}`, "error.expected.jsstring");
        }
        return () =>
          immutableMapEntries(
            sortLikeReferenceMap(textPairs).map(
              ([key, value]) =>
                [
                  boundedBase58(key, maxLength, "invalid anchor key"),
                  boundedBase58(value, maxLength, "invalid anchor hash"),
                ] as const,
            ),
          );
      },
    },
    shape: { kind: "pairs", of: { kind: "bytes", min: 0, max: maxLength }, max: maxCount },
    schema: { type: "object", additionalProperties: base58Schema },
  };
}

export function payouts(max: number): Field<readonly { recipient: Uint8Array; amount: bigint }[]> {
  return {
    wire: wire.list16({
      read: (reader, network) => ({ recipient: wire.address.read(reader, network), amount: reader.i64() }),
      write: (writer, payout) => writer.bytes(payout.recipient).i64(payout.amount),
    }),
    show: (list) => list.map(({ recipient, amount }) => ({ recipient: addressTextOf(recipient), amount })),
    request: elements(members({ recipient: address.request, amount: int64Member })),
    shape: {
      kind: "list",
      of: { kind: "object", of: { recipient: { kind: "address" }, amount: { kind: "amount", min: 0n } } },
      max,
      distinct: false,
    },
    schema: objectListSchema({ recipient: addressSchema, amount: int64Schema }),
  };
}

export function accounts(max: number): Field<readonly PublicKey[]> {
  const keyTexts = elements(members({ keyType: textMember, publicKey: textMember }));
  return {
    wire: wire.list16(wire.account),
    show: (list) => list.map((key) => ({ keyType: key.keyType, publicKey: encodeBase58(key.bytes) })),
    request: {
      read: (json, path, faults) => {
        const readTexts = keyTexts.read(json, path, faults);
        if (readTexts === undefined) return undefined;
        return (network) => readTexts(network).map((key) => requestedKey(key.publicKey, key.keyType));
      },
    },
    shape: { kind: "list", of: { kind: "account" }, max, distinct: false },
    schema: objectListSchema({ keyType: { type: "string" }, publicKey: base58Schema }),
  };
}

export function entries(max: number): Field<readonly DataEntry[]> {
  return {
    wire: entriesWire,
    show: (list) => list.map(entryJson),
    request: elements({
      read: (json, path, faults) => {
        const entry = entryFromJson(json);
        return typeof entry === "string" ? faults.add(path, entry) : () => entry;
      },
    }),
    shape: { kind: "list", of: { kind: "entry" }, max, distinct: true },
    schema: objectListSchema({
      key: { type: "string" },
      type: { type: "string", enum: ["integer", "boolean", "binary", "string"] },
      value: {
        ...int64Schema,
        type: ["integer", "boolean", "string"],
        description: "number, true or false, Base64 or text, by type",
      },
    }),
  };
}

/** Optional in requests. JSON omits an empty list. */
export function optionalEntries(max: number): Field<readonly DataEntry[]> {
  return {
    ...entries(max),
    show: (list) => (list.length === 0 ? undefined : list.map(entryJson)),
    absent: () => [],
  };
}

const PEM_BEGIN = "-----BEGIN CERTIFICATE-----";
const PEM_END = "-----END CERTIFICATE-----";

/** DER in the bytes, PEM in JSON. Page 02 §10.14. */
export const certificate: Field<Uint8Array | undefined> = {
  wire: wire.bytes16OrNone,
  show: (value) => (value === undefined ? null : `${PEM_BEGIN}\n${encodeBase64(value)}\n${PEM_END}`),
  request: text((value) => {
    const base64 = value
      .replaceAll(PEM_BEGIN, "")
      .replaceAll(PEM_END, "")
      .replace(/[ \t\n\v\f\r]/g, "");
    try {
      const der = decodeBase64(base64);
      return der.length === 0 ? undefined : der;
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error;
      return refuse(genericError(`Failed to decode certificate field ${error.message}`));
    }
  }),
  absent: () => undefined,
  shape: { kind: "certificate" },
  schema: { type: ["string", "null"], description: "PEM" },
};
