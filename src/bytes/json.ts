/**
 * Lossless JSON: numbers keep all digits. Page 02 §8 (output), §9.1 (input). Objects become a `Map`, which preserves
 * all names and their order.
 */
import { fitsInt64, int64 } from "./int64.ts";

/** `position` is in UTF-16 units. */
export class JsonError extends Error {
  override readonly name = "JsonError";
  readonly position: number;

  constructor(message: string, position: number) {
    super(`${message} at position ${position}`);
    this.position = position;
  }
}

/** Conversion to `bigint` takes more than linear time. */
const MAX_DIGITS = 5_000;

const SCIENTIFIC_FROM_EXPONENT = 20;
const SCIENTIFIC_UP_TO_EXPONENT = -10;

const NUMBER_PARTS = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

export class JsonNumber {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  /** The value is `digits` · 10^`exponent`. `digits` has no zeros at either end. */
  #parts(): { isNegative: boolean; digits: string; exponent: number } {
    const match = NUMBER_PARTS.exec(this.text);
    // `parseJson` checks its numbers; other callers of the constructor may not.
    if (match === null) throw new RangeError(`'${this.text}' is not a JSON number`);
    const fraction = match[3] ?? "";
    const all = match[2] + fraction;
    let start = 0;
    while (start < all.length && all.charCodeAt(start) === 0x30) start++;
    let end = all.length;
    while (end > start && all.charCodeAt(end - 1) === 0x30) end--;
    const exponent = Number(match[4] ?? 0) - fraction.length + (all.length - end);
    return { isNegative: match[1] === "-", digits: all.slice(start, end), exponent };
  }

  /** True for `1`, `1.0` and `1e3`. */
  isIntegral(): boolean {
    const { digits, exponent } = this.#parts();
    return digits === "" || exponent >= 0;
  }

  /** @throws RangeError if not whole or above 5,000 digits */
  toBigInt(): bigint {
    const { isNegative, digits, exponent } = this.#parts();
    if (digits === "") return 0n;
    if (exponent < 0) throw new RangeError(`${this.text} is not a whole number`);
    if (digits.length + exponent > MAX_DIGITS)
      throw new RangeError(`number has more than ${MAX_DIGITS} digits`);
    const value = BigInt(digits + "0".repeat(exponent));
    return isNegative ? -value : value;
  }

  /** Undefined for fractions and values outside signed 64 bits. */
  toInt64(): bigint | undefined {
    const { isNegative, digits, exponent } = this.#parts();
    if (digits === "") return 0n;
    if (exponent < 0 || digits.length + exponent > 19) return undefined;
    const magnitude = BigInt(digits + "0".repeat(exponent));
    const value = isNegative ? -magnitude : magnitude;
    return fitsInt64(value) ? value : undefined;
  }

  /**
   * Truncates toward zero and wraps modulo 2^64 in linear time, like the reference's integer data entries (page 02
   * §9.1).
   */
  toInt64Wrapping(): bigint {
    const { isNegative, digits, exponent } = this.#parts();
    // 10^64 is a multiple of 2^64.
    if (digits === "" || exponent >= 64 || digits.length + exponent <= 0) return 0n;
    const whole = exponent < 0 ? digits.slice(0, exponent) : digits + "0".repeat(exponent);
    let value = 0n;
    for (let i = 0; i < whole.length; i += 15) {
      const chunk = whole.slice(i, i + 15);
      value = int64(value * 10n ** BigInt(chunk.length) + BigInt(chunk));
    }
    return int64(isNegative ? -value : value);
  }

  toNumber(): number {
    return Number(this.text);
  }

  /**
   * Formats like the reference: no trailing zeros in the fraction; scientific notation for magnitudes up to 10^-10, and
   * for multiples of 10 from 10^20. Page 06 §2.4.
   */
  normalized(): JsonNumber {
    const { isNegative, digits, exponent } = this.#parts();
    if (digits === "") return new JsonNumber("0");
    const sign = isNegative ? "-" : "";
    const power = digits.length - 1 + exponent;
    // An exponent beyond 2^53 cannot be computed exactly.
    if (!Number.isSafeInteger(power)) return this;
    const isPlain =
      power < SCIENTIFIC_FROM_EXPONENT &&
      (power > SCIENTIFIC_UP_TO_EXPONENT || (power === SCIENTIFIC_UP_TO_EXPONENT && digits !== "1"));
    if (exponent >= 0 && (isPlain || exponent === 0))
      return new JsonNumber(sign + digits + "0".repeat(exponent));
    if (exponent < 0 && (isPlain || power >= 0)) {
      const padded = digits.padStart(1 - exponent, "0");
      return new JsonNumber(`${sign}${padded.slice(0, exponent)}.${padded.slice(exponent)}`);
    }
    const fraction = digits.length === 1 ? "" : `.${digits.slice(1)}`;
    return new JsonNumber(`${sign}${digits[0]}${fraction}E${power < 0 ? "" : "+"}${power}`);
  }
}

/** Members in the order of their first occurrence. */
export type JsonObject = Map<string, JsonValue>;
export type JsonValue = null | boolean | string | JsonNumber | JsonValue[] | JsonObject;

/** Already printed JSON. */
export class JsonText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** Members that are `undefined` are omitted. */
export type JsonOut =
  | null
  | undefined
  | boolean
  | string
  | number
  | bigint
  | JsonNumber
  | JsonText
  | readonly JsonOut[]
  | ReadonlyMap<string, JsonOut>
  | { readonly [name: string]: JsonOut };

const DEFAULT_MAX_DEPTH = 64;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON strings must not contain control characters
const PLAIN = /[^"\\\u0000-\u001f]*/y;
const SPACE = /[ \t\n\r]*/y;
const HEX4 = /[0-9a-fA-F]{4}/y;

/** Escapes in JSON and in string literals of scripts. */
export const SHORT_ESCAPES: ReadonlyMap<string, string> = new Map([
  ['"', '\\"'],
  ["\\", "\\\\"],
  ["\b", "\\b"],
  ["\f", "\\f"],
  ["\n", "\\n"],
  ["\r", "\\r"],
  ["\t", "\\t"],
]);
/** Characters by the letter after the backslash. */
export const ESCAPED_CHARACTERS: ReadonlyMap<string, string> = new Map(
  Array.from(SHORT_ESCAPES, ([character, short]) => [short.slice(1), character]),
);

class Parser {
  readonly #text: string;
  readonly #maxDepth: number;
  #at = 0;

  constructor(text: string, maxDepth: number) {
    this.#text = text;
    this.#maxDepth = maxDepth;
  }

  parsePrefix(): { value: JsonValue; end: number } {
    const value = this.#value(0);
    return { value, end: this.#at };
  }

  parseDocument(): JsonValue {
    const value = this.#value(0);
    this.#match(SPACE);
    if (this.#at < this.#text.length) this.#fail("unexpected text after the value");
    return value;
  }

  #fail(message: string): never {
    throw new JsonError(message, this.#at);
  }

  #match(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0] ?? "";
    this.#at += found.length;
    return found;
  }

  #value(depth: number): JsonValue {
    this.#match(SPACE);
    const char = this.#text[this.#at];
    if (char === undefined) this.#fail("unexpected end of text");
    if (char === "{") return this.#object(depth + 1);
    if (char === "[") return this.#array(depth + 1);
    if (char === '"') return this.#string();
    if (char === "t") return this.#literal("true", true);
    if (char === "f") return this.#literal("false", false);
    if (char === "n") return this.#literal("null", null);
    const number = this.#match(NUMBER);
    if (number === "") this.#fail("unexpected character");
    return new JsonNumber(number);
  }

  #literal<T>(word: string, value: T): T {
    if (!this.#text.startsWith(word, this.#at)) this.#fail("unexpected character");
    this.#at += word.length;
    return value;
  }

  #enter(depth: number): void {
    if (depth > this.#maxDepth) this.#fail(`nested deeper than ${this.#maxDepth} levels`);
    this.#at++;
    this.#match(SPACE);
  }

  #tryConsume(char: string): boolean {
    if (this.#text[this.#at] !== char) return false;
    this.#at++;
    return true;
  }

  /** Consumes a comma (true) or the closing bracket (false). */
  #hasAnother(close: string): boolean {
    this.#match(SPACE);
    if (this.#tryConsume(close)) return false;
    if (!this.#tryConsume(",")) this.#fail(`expected ',' or '${close}'`);
    return true;
  }

  #array(depth: number): JsonValue[] {
    this.#enter(depth);
    const list: JsonValue[] = [];
    if (this.#tryConsume("]")) return list;
    do list.push(this.#value(depth));
    while (this.#hasAnother("]"));
    return list;
  }

  #object(depth: number): JsonObject {
    this.#enter(depth);
    const members: JsonObject = new Map();
    if (this.#tryConsume("}")) return members;
    do {
      this.#match(SPACE);
      if (this.#text[this.#at] !== '"') this.#fail("expected the name of a member");
      const name = this.#string();
      this.#match(SPACE);
      if (!this.#tryConsume(":")) this.#fail("expected ':'");
      members.set(name, this.#value(depth));
    } while (this.#hasAnother("}"));
    return members;
  }

  #string(): string {
    this.#at++;
    let value = this.#match(PLAIN);
    while (!this.#tryConsume('"')) {
      if (!this.#tryConsume("\\")) {
        this.#fail(this.#at < this.#text.length ? "control character in a string" : "string is not closed");
      }
      value += this.#escape() + this.#match(PLAIN);
    }
    return value;
  }

  #escape(): string {
    if (this.#tryConsume("u")) {
      const digits = this.#match(HEX4);
      if (digits === "") this.#fail("expected four hexadecimal digits");
      return String.fromCharCode(Number.parseInt(digits, 16));
    }
    const letter = this.#text[this.#at];
    const plain = letter === "/" ? letter : ESCAPED_CHARACTERS.get(letter);
    if (plain === undefined) this.#fail("unknown escape");
    this.#at++;
    return plain;
  }
}

/**
 * Parses JSON of RFC 8259. The last of repeated members wins.
 * @throws JsonError if the text is invalid or too deeply nested
 */
export function parseJson(text: string, { maxDepth = DEFAULT_MAX_DEPTH } = {}): JsonValue {
  return new Parser(text, maxDepth).parseDocument();
}

/**
 * Parses the value at the start of a text. `end` is the index after the value.
 * @throws JsonError
 */
export function parseJsonPrefix(
  text: string,
  { maxDepth = DEFAULT_MAX_DEPTH } = {},
): { value: JsonValue; end: number } {
  return new Parser(text, maxDepth).parsePrefix();
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters must be escaped
const NEEDS_ESCAPE = /["\\\u0000-\u001f]/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters must be escaped
const CHARACTERS_TO_ESCAPE = /["\\\u0000-\u001f]/g;

function escapeChar(char: string): string {
  const code = char.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0");
  return SHORT_ESCAPES.get(char) ?? `\\u${code}`;
}

/** Like the protocol, escapes only quotes, backslashes and control characters. */
function printJsonString(text: string): string {
  // `test` is faster than `replace`.
  return NEEDS_ESCAPE.test(text) ? `"${text.replace(CHARACTERS_TO_ESCAPE, escapeChar)}"` : `"${text}"`;
}

function printNumber(value: number): string {
  if (!Number.isFinite(value)) throw new RangeError(`${value} cannot be printed as JSON`);
  return Object.is(value, -0) ? "0" : String(value);
}

function print(value: Exclude<JsonOut, undefined>): string {
  if (value === null) return "null";
  if (typeof value === "string") return printJsonString(value);
  if (typeof value === "number") return printNumber(value);
  if (typeof value === "bigint" || typeof value === "boolean") return String(value);
  if (value instanceof JsonNumber || value instanceof JsonText) return value.text;
  if (Array.isArray(value)) return `[${value.map((item: JsonOut) => print(item ?? null)).join(",")}]`;
  const members = value instanceof Map ? value : Object.entries(value);
  let text = "";
  for (const [name, member] of members as Iterable<[string, JsonOut]>) {
    if (member === undefined) continue;
    text += `${text === "" ? "" : ","}${printJsonString(name)}:${print(member)}`;
  }
  return `{${text}}`;
}

/**
 * Prints compact JSON. Plain objects list integer-like names first, so use a `Map` for untrusted names. `undefined` in
 * an array becomes null.
 * @throws RangeError for a non-finite number
 */
export function printJson(value: JsonOut): string {
  return print(value ?? null);
}

/** Prints as the reference quotes a request: compact, with normalized numbers. Page 06 §2.4. */
export function printNormalizedJson(value: JsonValue): string {
  return printJson(withNormalNumbers(value));
}

function withNormalNumbers(value: JsonValue): JsonValue {
  if (value instanceof JsonNumber) return value.normalized();
  if (Array.isArray(value)) return value.map(withNormalNumbers);
  if (!(value instanceof Map)) return value;
  return new Map(Array.from(value, ([name, member]) => [name, withNormalNumbers(member)]));
}

/** Like `printJson`, with one member or element per line. */
export function printIndentedJson(value: JsonOut, indent = ""): string {
  const inner = `${indent}  `;
  const lines = (open: string, items: readonly string[], close: string) =>
    items.length === 0
      ? open + close
      : `${open}\n${items.map((item) => inner + item).join(",\n")}\n${indent}${close}`;
  if (Array.isArray(value))
    return lines(
      "[",
      value.map((item: JsonOut) => printIndentedJson(item, inner)),
      "]",
    );
  if (typeof value !== "object" || value === null || value instanceof JsonNumber || value instanceof JsonText)
    return printJson(value);
  const members = Array.from(
    (value instanceof Map ? value : Object.entries(value)) as Iterable<[string, JsonOut]>,
  );
  return lines(
    "{",
    members
      .filter(([, member]) => member !== undefined)
      .map(([name, member]) => `${printJsonString(name)}: ${printIndentedJson(member, inner)}`),
    "}",
  );
}
