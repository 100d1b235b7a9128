/**
 * JSON without loss: numbers keep all their digits, both ways. Page 02 §8 (output), §9.1 (input).
 *
 * Objects are read into a `Map`, so that neither a name like `__proto__` nor one that looks like an index
 * changes meaning or order.
 */
import { fitsInt64, int64 } from "./int64.ts";

/** Text that is not JSON, or goes beyond the limits. `position` counts UTF-16 units from the start. */
export class JsonError extends Error {
  override readonly name = "JsonError";
  readonly position: number;

  constructor(message: string, position: number) {
    super(`${message} at position ${position}`);
    this.position = position;
  }
}

/** Longest number, in digits once written out, that is turned into a `bigint`. */
const MAX_DIGITS = 5_000;

/** Powers of ten between which numbers are written without an exponent. Page 06 §2.4. */
const PLAIN_BELOW = 20;
const PLAIN_DOWN_TO = 10;

const NUMBER_PARTS = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/** A JSON number as it was written. */
export class JsonNumber {
  /** The text of the number, a valid JSON number. */
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  /** Significant digits (no zeros at either end, "" for zero) and the power of ten behind them. */
  #parts(): { negative: boolean; digits: string; exponent: number } {
    const match = NUMBER_PARTS.exec(this.text);
    // Only parseJson makes these objects, from text that it has checked; this is for hand-made ones.
    if (match === null) throw new RangeError(`'${this.text}' is no JSON number`);
    const fraction = match[3] ?? "";
    const all = match[2] + fraction;
    let start = 0;
    while (start < all.length && all.charCodeAt(start) === 0x30) start++;
    let end = all.length;
    while (end > start && all.charCodeAt(end - 1) === 0x30) end--;
    const exponent = Number(match[4] ?? 0) - fraction.length + (all.length - end);
    return { negative: match[1] === "-", digits: all.slice(start, end), exponent };
  }

  /** Whether the value is a whole number: `1`, `1.0` and `1e3` are. */
  isIntegral(): boolean {
    const { digits, exponent } = this.#parts();
    return digits === "" || exponent >= 0;
  }

  /**
   * The value of a whole number.
   * @throws RangeError when it is not whole, or would have more than 5,000 digits
   */
  toBigInt(): bigint {
    const { negative, digits, exponent } = this.#parts();
    if (digits === "") return 0n;
    if (exponent < 0) throw new RangeError(`${this.text} is no whole number`);
    if (digits.length + exponent > MAX_DIGITS) throw new RangeError("number is too large");
    const value = BigInt(digits + "0".repeat(exponent));
    return negative ? -value : value;
  }

  /** The value when it is whole and fits signed 64 bits, else `undefined`. */
  toInt64(): bigint | undefined {
    const { negative, digits, exponent } = this.#parts();
    if (digits === "") return 0n;
    // 19 digits hold every signed 64-bit integer.
    if (exponent < 0 || digits.length + exponent > 19) return undefined;
    const magnitude = BigInt(digits + "0".repeat(exponent));
    const value = negative ? -magnitude : magnitude;
    return fitsInt64(value) ? value : undefined;
  }

  /**
   * The value cut off toward zero, modulo 2^64, as a signed integer: how the reference reads the value of an
   * integer data entry (page 02 §9.1). Never fails; the work is linear in the length of the text.
   */
  toInt64Wrapping(): bigint {
    const { negative, digits, exponent } = this.#parts();
    // 10^64 is a multiple of 2^64.
    if (digits === "" || exponent >= 64 || digits.length + exponent <= 0) return 0n;
    const whole = exponent < 0 ? digits.slice(0, exponent) : digits + "0".repeat(exponent);
    let value = 0n;
    for (let i = 0; i < whole.length; i += 15) {
      const chunk = whole.slice(i, i + 15);
      value = int64(value * 10n ** BigInt(chunk.length) + BigInt(chunk));
    }
    return int64(negative ? -value : value);
  }

  /** The nearest double. */
  toNumber(): number {
    return Number(this.text);
  }

  /**
   * The same number as the reference writes one that it has read: without zeros at the end of a fraction, and from
   * 10^20 on, or down to 10^-10, with an exponent in place of what is only zeros. Page 06 §2.4.
   */
  normalized(): JsonNumber {
    const { negative, digits, exponent } = this.#parts();
    if (digits === "") return new JsonNumber("0");
    const sign = negative ? "-" : "";
    /** Of the first digit. */
    const power = digits.length - 1 + exponent;
    // An exponent that no runtime holds.
    if (!Number.isSafeInteger(power)) return this;
    const isPlain =
      power < PLAIN_BELOW && (power > -PLAIN_DOWN_TO || (power === -PLAIN_DOWN_TO && digits !== "1"));
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

/** A JSON object: its members in the order in which their names first came. */
export type JsonObject = Map<string, JsonValue>;
/** What `parseJson` returns. */
export type JsonValue = null | boolean | string | JsonNumber | JsonValue[] | JsonObject;

/** What `printJson` takes. Members that are `undefined` are left out. */
export type JsonOut =
  | null
  | undefined
  | boolean
  | string
  | number
  | bigint
  | JsonNumber
  | readonly JsonOut[]
  | ReadonlyMap<string, JsonOut>
  | { readonly [name: string]: JsonOut };

const DEFAULT_DEPTH = 64;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
/** Runs of characters that stand for themselves in a string. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON strings must not hold control characters
const PLAIN = /[^"\\\u0000-\u001f]*/y;
const SPACE = /[ \t\n\r]*/y;
const HEX4 = /[0-9a-fA-F]{4}/y;

/** The short escapes of characters in JSON, and in texts of scripts. */
export const SHORT_ESCAPES: ReadonlyMap<string, string> = new Map([
  ['"', '\\"'],
  ["\\", "\\\\"],
  ["\b", "\\b"],
  ["\f", "\\f"],
  ["\n", "\\n"],
  ["\r", "\\r"],
  ["\t", "\\t"],
]);
/** The characters of the short escapes, by what follows the backslash. */
export const ESCAPED_CHARACTERS: ReadonlyMap<string, string> = new Map(
  Array.from(SHORT_ESCAPES, ([character, short]) => [short.slice(1), character]),
);

class Parser {
  readonly #text: string;
  readonly #depth: number;
  #at = 0;

  constructor(text: string, depth: number) {
    this.#text = text;
    this.#depth = depth;
  }

  /** The first value, and where it ends. */
  first(): { value: JsonValue; end: number } {
    const value = this.#value(0);
    return { value, end: this.#at };
  }

  document(): JsonValue {
    const value = this.#value(0);
    this.#match(SPACE);
    if (this.#at < this.#text.length) this.#fail("unexpected text behind the value");
    return value;
  }

  #fail(message: string): never {
    throw new JsonError(message, this.#at);
  }

  /** Text that a sticky pattern finds here ("" when none); moves behind it. */
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
    if (char === "t") return this.#word("true", true);
    if (char === "f") return this.#word("false", false);
    if (char === "n") return this.#word("null", null);
    const number = this.#match(NUMBER);
    if (number === "") this.#fail("unexpected character");
    return new JsonNumber(number);
  }

  #word<T>(word: string, value: T): T {
    if (!this.#text.startsWith(word, this.#at)) this.#fail("unexpected character");
    this.#at += word.length;
    return value;
  }

  #enter(depth: number): void {
    if (depth > this.#depth) this.#fail(`nested deeper than ${this.#depth} levels`);
    this.#at++;
    this.#match(SPACE);
  }

  /** Whether the closing character stands here; moves behind it. */
  #closes(char: string): boolean {
    if (this.#text[this.#at] !== char) return false;
    this.#at++;
    return true;
  }

  /** Behind a member or element: true when another one follows, false at the closing character. */
  #another(close: string): boolean {
    this.#match(SPACE);
    if (this.#closes(close)) return false;
    if (!this.#closes(",")) this.#fail(`expected ',' or '${close}'`);
    return true;
  }

  #array(depth: number): JsonValue[] {
    this.#enter(depth);
    const list: JsonValue[] = [];
    if (this.#closes("]")) return list;
    do list.push(this.#value(depth));
    while (this.#another("]"));
    return list;
  }

  #object(depth: number): JsonObject {
    this.#enter(depth);
    const members: JsonObject = new Map();
    if (this.#closes("}")) return members;
    do {
      this.#match(SPACE);
      if (this.#text[this.#at] !== '"') this.#fail("expected the name of a member");
      const name = this.#string();
      this.#match(SPACE);
      if (!this.#closes(":")) this.#fail("expected ':'");
      // Setting a name again keeps its place and takes the last value.
      members.set(name, this.#value(depth));
    } while (this.#another("}"));
    return members;
  }

  #string(): string {
    this.#at++;
    let value = this.#match(PLAIN);
    while (!this.#closes('"')) {
      if (!this.#closes("\\")) {
        this.#fail(this.#at < this.#text.length ? "control character in a string" : "string is not closed");
      }
      value += this.#escape() + this.#match(PLAIN);
    }
    return value;
  }

  /** What an escape stands for; a lone surrogate is kept as it is. */
  #escape(): string {
    if (this.#closes("u")) {
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
 * Reads one JSON value (RFC 8259, strictly). A member that occurs twice counts with its last value.
 * @throws JsonError when the text is no JSON or nests too deep
 */
export function parseJson(text: string, { depth = DEFAULT_DEPTH } = {}): JsonValue {
  return new Parser(text, depth).document();
}

/**
 * Reads the first JSON value of a text and leaves what stands behind it to the caller: `end` is its index.
 * @throws JsonError when the text does not begin with JSON, or nests too deep
 */
export function parseJsonPrefix(
  text: string,
  { depth = DEFAULT_DEPTH } = {},
): { value: JsonValue; end: number } {
  return new Parser(text, depth).first();
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must be escaped
const ESCAPED = /["\\\u0000-\u001f]/g;

function escapeChar(char: string): string {
  const code = char.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0");
  return SHORT_ESCAPES.get(char) ?? `\\u${code}`;
}

/** A text as a JSON string with the protocol's escapes; everything but quotes, backslashes and controls is raw. */
function printJsonString(text: string): string {
  return `"${text.replace(ESCAPED, escapeChar)}"`;
}

function printNumber(value: number): string {
  if (!Number.isFinite(value)) throw new RangeError(`${value} has no JSON form`);
  return Object.is(value, -0) ? "0" : String(value);
}

function print(value: Exclude<JsonOut, undefined>): string {
  if (value === null) return "null";
  if (typeof value === "string") return printJsonString(value);
  if (typeof value === "number") return printNumber(value);
  if (typeof value === "bigint" || typeof value === "boolean") return String(value);
  if (value instanceof JsonNumber) return value.text;
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
 * The value as compact JSON, members in the order given. Plain objects list integer-like names first, as the
 * language does: use a `Map` where names come from outside. An `undefined` in an array is printed as null.
 * @throws RangeError for a number that is not finite
 */
export function printJson(value: JsonOut): string {
  return print(value ?? null);
}

/** Compact JSON of what was read, as the reference quotes a request: numbers normalized. Page 06 §2.4. */
export function printNormalizedJson(value: JsonValue): string {
  return printJson(withNormalNumbers(value));
}

function withNormalNumbers(value: JsonValue): JsonValue {
  if (value instanceof JsonNumber) return value.normalized();
  if (Array.isArray(value)) return value.map(withNormalNumbers);
  if (!(value instanceof Map)) return value;
  return new Map(Array.from(value, ([name, one]) => [name, withNormalNumbers(one)]));
}

/**
 * The value as JSON for people: a member or element a line. What `printJson` says of order and
 * numbers holds here too.
 * @throws RangeError for a number that is not finite
 */
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
  if (typeof value !== "object" || value === null || value instanceof JsonNumber) return printJson(value);
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
