import { decodeBase58OrZerosIfTooLong } from "../bytes/base58.ts";
import { DecodeError } from "../bytes/errors.ts";
import { JsonNumber, type JsonObject, type JsonValue } from "../bytes/json.ts";
import { InvalidAddressError, parseAddress, ShortAddressError } from "../crypto/addresses.ts";
import { parseDuration } from "./duration.ts";
import { ProfileError } from "./errors.ts";

const INT32_MAX = 2 ** 31 - 1;
const INT32_MIN = -(2 ** 31);

/** Reads the members of network settings. Errors name the member. Ignores unknown members, like the reference. */
export class SettingsReader {
  readonly #members: JsonObject;
  readonly #path: string;

  /** @param path of the object, for error texts; "" for the root */
  constructor(value: JsonValue, path: string) {
    if (!(value instanceof Map)) throw new ProfileError(`${path || "Network settings"} must be an object`);
    this.#members = value;
    this.#path = path;
  }

  #name(key: string): string {
    return this.#path === "" ? key : `${this.#path}.${key}`;
  }

  #fail(key: string, requirement: string): never {
    throw new ProfileError(`${this.#name(key)} must be ${requirement}`);
  }

  /** Returns undefined if the member is absent or null. */
  optional(key: string): JsonValue | undefined {
    return this.#members.get(key) ?? undefined;
  }

  #required(key: string): JsonValue {
    const value = this.optional(key);
    if (value === undefined) throw new ProfileError(`${this.#name(key)} is missing`);
    return value;
  }

  object(key: string): SettingsReader {
    return new SettingsReader(this.#required(key), this.#name(key));
  }

  text(key: string): string {
    const value = this.#required(key);
    return typeof value === "string" ? value : this.#fail(key, "a string");
  }

  optionalText(key: string): string | undefined {
    return this.optional(key) === undefined ? undefined : this.text(key);
  }

  optionalBoolean(key: string): boolean | undefined {
    const value = this.optional(key);
    if (value === undefined || typeof value === "boolean") return value;
    return this.#fail(key, "true or false");
  }

  int64(key: string): bigint {
    const value = this.#required(key);
    const number = value instanceof JsonNumber ? value.toInt64() : undefined;
    return number ?? this.#fail(key, "a signed 64-bit integer");
  }

  int32(key: string, min = INT32_MIN): number {
    const number = this.int64(key);
    if (number < min || number > INT32_MAX) this.#fail(key, `a whole number from ${min} to ${INT32_MAX}`);
    return Number(number);
  }

  optionalInt32(key: string, min = INT32_MIN): number | undefined {
    return this.optional(key) === undefined ? undefined : this.int32(key, min);
  }

  /** Reads a text with a unit, or a number of ms. Returns whole ms. */
  duration(key: string): number {
    const value = this.#required(key);
    const text = value instanceof JsonNumber ? value.text : value;
    if (typeof text !== "string") return this.#fail(key, "a duration such as '60s'");
    try {
      return parseDuration(text);
    } catch (error) {
      if (!(error instanceof ProfileError)) throw error;
      throw new ProfileError(`${this.#name(key)}: ${error.message}`);
    }
  }

  list(key: string): JsonValue[] {
    const value = this.#required(key);
    return Array.isArray(value) ? value : this.#fail(key, "a list");
  }

  objects(key: string): SettingsReader[] {
    return this.list(key).map((item, i) => new SettingsReader(item, `${this.#name(key)}[${i}]`));
  }

  address(key: string, chainId: number): Uint8Array {
    return readAddress(this.text(key), this.#name(key), chainId);
  }

  addresses(key: string, chainId: number): Uint8Array[] {
    return this.list(key).map((item, i) => {
      if (typeof item !== "string") return this.#fail(`${key}[${i}]`, "an address");
      return readAddress(item, this.#name(`${key}[${i}]`), chainId);
    });
  }

  /** @param length in bytes */
  optionalBase58(key: string, length: number): Uint8Array | undefined {
    const text = this.optionalText(key);
    if (text === undefined) return undefined;
    try {
      const bytes = decodeBase58OrZerosIfTooLong(text, 2 * length);
      return bytes.length === length ? bytes : this.#fail(key, `${length} bytes in Base58`);
    } catch (error) {
      if (error instanceof DecodeError) throw new ProfileError(`${this.#name(key)}: ${error.message}`);
      throw error;
    }
  }

  /** Returns texts by address. Null and a missing member are read as an empty list. */
  textsByAddress(key: string, chainId: number): readonly (readonly [address: string, text: string])[] {
    const value = this.optional(key);
    if (value === undefined) return [];
    const texts = new SettingsReader(value, this.#name(key));
    return [...texts.#members.keys()].map((address) => {
      readAddress(address, texts.#name(address), chainId);
      return [address, texts.text(address)];
    });
  }

  /** Returns heights by feature id. Null and "" are read as an empty map. */
  featureHeights(key: string): Map<number, number> {
    const value = this.#members.get(key);
    if (value === undefined) throw new ProfileError(`${this.#name(key)} is missing`);
    if (value === null || value === "") return new Map();
    const heights = new SettingsReader(value, this.#name(key));
    const result = new Map<number, number>();
    for (const id of heights.#members.keys()) {
      const number = /^[+-]?\d{1,5}$/.test(id) ? Number(id) : Number.NaN;
      if (!(number >= -32_768 && number <= 32_767)) this.#fail(`${key}.${id}`, "a feature id");
      result.set(number, heights.int32(id));
    }
    return result;
  }
}

function readAddress(text: string, name: string, chainId: number): Uint8Array {
  try {
    return parseAddress(text, chainId);
  } catch (error) {
    if (error instanceof InvalidAddressError) {
      // The message of `ShortAddressError` names a Java exception.
      const reason = error instanceof ShortAddressError ? "too short" : error.message;
      throw new ProfileError(`${name} '${text}' is not an address of this network: ${reason}`);
    }
    throw error;
  }
}
