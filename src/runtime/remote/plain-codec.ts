/**
 * Plain data (`plain-message.ts`) as bytes: JSON in which everything except texts, numbers, booleans and null is a list
 * that begins with a tag: u undefined, f not a JSON number, n bigint, b bytes, l list, m map, o object.
 */
import { decodeUtf8, encodeUtf8 } from "../../bytes/utf8.ts";

/** `decodePlain` refuses deeper values, to limit its stack. */
const MAX_DEPTH = 32;

export class PlainDataError extends Error {
  override readonly name = "PlainDataError";
}

type Tagged = readonly [tag: string, ...items: unknown[]];

function isJsonNumber(value: number): boolean {
  return Number.isFinite(value) && !Object.is(value, -0);
}

function toTagged(value: unknown): unknown {
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number")
    return isJsonNumber(value) ? value : ["f", Object.is(value, -0) ? "-0" : String(value)];
  if (value === undefined) return ["u"];
  if (typeof value === "bigint") return ["n", value.toString()];
  if (value instanceof Uint8Array) return ["b", Buffer.from(value).toString("base64")];
  if (Array.isArray(value)) return ["l", ...value.map(toTagged)];
  if (value instanceof Map) return ["m", ...[...value].map(([key, item]) => [toTagged(key), toTagged(item)])];
  const prototype: unknown = Object.getPrototypeOf(value);
  if (typeof value !== "object" || (prototype !== Object.prototype && prototype !== null))
    throw new PlainDataError(`a ${typeof value} is not plain data`);
  return ["o", ...Object.entries(value).map(([name, item]) => [name, toTagged(item)])];
}

/** @throws PlainDataError */
export function encodePlain(value: unknown): Uint8Array {
  return encodeUtf8(JSON.stringify(toTagged(value)));
}

function textOf(item: unknown): string {
  if (typeof item !== "string") throw new PlainDataError("a tag has no text");
  return item;
}

function pairsOf<K>(items: readonly unknown[], keyOf: (key: unknown) => K, depth: number): [K, unknown][] {
  return items.map((item) => {
    if (!Array.isArray(item) || item.length !== 2) throw new PlainDataError("an entry is not a pair");
    return [keyOf(item[0]), fromTagged(item[1], depth)];
  });
}

function bigintOf(text: string): bigint {
  if (!/^-?\d{1,100}$/.test(text)) throw new PlainDataError("an integer is invalid");
  return BigInt(text);
}

function fromTagged(value: unknown, depth: number): unknown {
  if (depth > MAX_DEPTH) throw new PlainDataError(`deeper than ${MAX_DEPTH} levels`);
  if (!Array.isArray(value)) {
    if (typeof value === "object" && value !== null) throw new PlainDataError("an object has no tag");
    return value;
  }
  const [tag, ...items] = value as unknown as Tagged;
  const nextDepth = depth + 1;
  switch (tag) {
    case "u":
      return undefined;
    case "f":
      return Number(textOf(items[0]));
    case "n":
      return bigintOf(textOf(items[0]));
    case "b":
      return Uint8Array.from(Buffer.from(textOf(items[0]), "base64"));
    case "l":
      return items.map((item) => fromTagged(item, nextDepth));
    case "m":
      return new Map(pairsOf(items, (key) => fromTagged(key, nextDepth), nextDepth));
    case "o":
      // `fromEntries` defines `__proto__` like other members.
      return Object.fromEntries(pairsOf(items, textOf, nextDepth));
    default:
      throw new PlainDataError("a tag is unknown");
  }
}

/** @throws PlainDataError for bytes that `encodePlain` does not create */
export function decodePlain(bytes: Uint8Array): unknown {
  let value: unknown;
  try {
    value = JSON.parse(decodeUtf8(bytes));
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError)
      throw new PlainDataError("the bytes are not JSON");
    throw error;
  }
  return fromTagged(value, 0);
}
