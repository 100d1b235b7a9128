/**
 * Base58 in the Bitcoin alphabet. Page 01 §2.
 *
 * Conversion takes more than linear time, so decoders require a limit.
 */
import { DecodeError, TooLongError } from "./errors.ts";
import { decodeHex, encodeHex } from "./hex.ts";

const ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
const ONE = 0x31;

/** Value of each ASCII character; 255 outside the alphabet. */
const DIGIT_VALUES = new Uint8Array(128).fill(255);
for (let i = 0; i < ALPHABET.length; i++) DIGIT_VALUES[ALPHABET.charCodeAt(i)] = i;

/** Radix of the limbs: 58^5. */
const ENCODE_RADIX = 656_356_768;
const ALPHABET_CODES = Uint8Array.from(ALPHABET, (digit) => digit.charCodeAt(0));
/** Two digits for each number below 58^2, as character codes. */
const DIGIT_PAIRS = Uint16Array.from(
  { length: 3_364 },
  (_, i) => (ALPHABET_CODES[Math.floor(i / 58)] << 8) | ALPHABET_CODES[i % 58],
);
const POWERS_OF_58 = [1, 58, 3_364, 195_112, 11_316_496];
const DECODE_RADIX = 2 ** 24;

/** Characters per part of a long text. */
const PART_CHARACTERS = 240;
const PART_POWER = 58n ** BigInt(PART_CHARACTERS);
/** A longer value (above some 350 characters) is converted in parts. */
const MAX_SHORT_BYTES = 256;
/** Words of 16 bits that are added together. */
const GROUP_WORDS = 4;
type Weights = readonly [Float64Array, Float64Array, Float64Array, Float64Array];
/** Powers of 2^16, each with its lowest limb first. Those of a group have the same number of limbs. */
const WEIGHT_GROUPS: readonly Weights[] = groupsOf(powersOfWord(MAX_SHORT_BYTES / 2));

function powersOfWord(count: number): number[][] {
  const powers = [[1]];
  while (powers.length < count) {
    const next: number[] = [];
    let carry = 0;
    for (const limb of powers[powers.length - 1]) {
      const value = limb * 65_536 + carry;
      carry = Math.floor(value / ENCODE_RADIX);
      next.push(value - carry * ENCODE_RADIX);
    }
    if (carry > 0) next.push(carry);
    powers.push(next);
  }
  return powers;
}

function groupsOf(powers: readonly number[][]): Weights[] {
  const groups: Weights[] = [];
  for (let first = 0; first < powers.length; first += GROUP_WORDS) {
    const { length } = powers[first + GROUP_WORDS - 1];
    const weight = (i: number): Float64Array => {
      const limbs = new Float64Array(length);
      limbs.set(powers[first + i]);
      return limbs;
    };
    groups.push([weight(0), weight(1), weight(2), weight(3)]);
  }
  return groups;
}

/** Reused by all calls. */
const limbSums = new Float64Array(MAX_SHORT_BYTES / 2);
const encoded = new Uint8Array(MAX_SHORT_BYTES + 5 * limbSums.length);

/** Node.js reads texts faster from a `Buffer`, which browsers lack. */
const encodedBuffer = (globalThis as { Buffer?: Pick<typeof Buffer, "from"> }).Buffer?.from(encoded.buffer);

/** The limit of `POST /wallet/sign`. */
export const MAX_BASE58_BYTES = 65_536;

/** @throws RangeError above `MAX_BASE58_BYTES` */
export function encodeBase58(bytes: Uint8Array): string {
  if (bytes.length <= MAX_SHORT_BYTES) return encodeShort(bytes);
  if (bytes.length > MAX_BASE58_BYTES)
    throw new RangeError(`${bytes.length} bytes exceed the Base58 limit of ${MAX_BASE58_BYTES}`);
  let zeros = 0;
  while (zeros < bytes.length && bytes[zeros] === 0) zeros++;
  return "1".repeat(zeros) + encodeLong(BigInt(`0x0${encodeHex(bytes.subarray(zeros))}`));
}

function encodeLong(value: bigint): string {
  const powers = [PART_POWER];
  for (let next = PART_POWER * PART_POWER; next <= value; next *= next) powers.push(next);
  const parts: string[] = [];
  const split = (rest: bigint, level: number): void => {
    if (level < 0) {
      const hex = rest.toString(16);
      const digits = rest === 0n ? "" : encodeShort(decodeHex(hex.length % 2 === 0 ? hex : `0${hex}`));
      parts.push(digits.padStart(PART_CHARACTERS, "1"));
      return;
    }
    const high = rest / powers[level];
    split(high, level - 1);
    split(rest - high * powers[level], level - 1);
  };
  split(value, powers.length - 1);
  const padded = parts.join("");
  let start = 0;
  while (padded.charCodeAt(start) === ONE) start++;
  return padded.slice(start);
}

/** Returns the 16-bit word that ends before `end`, with zeros before the first byte. */
function wordBefore(bytes: Uint8Array, end: number): number {
  if (end > 1) return (bytes[end - 2] << 8) | bytes[end - 1];
  return end === 1 ? bytes[0] : 0;
}

/** Sums the weights of all 16-bit words limb by limb, and carries at the end. The sums stay below 2^53. */
function encodeShort(bytes: Uint8Array): string {
  const { length } = bytes;
  let zeros = 0;
  while (zeros < length && bytes[zeros] === 0) zeros++;
  let limbCount = 0;
  for (let group = 0, end = length; end > zeros; group++, end -= 2 * GROUP_WORDS) {
    const [a, b, c, d] = WEIGHT_GROUPS[group];
    const low = wordBefore(bytes, end);
    const second = wordBefore(bytes, end - 2);
    const third = wordBefore(bytes, end - 4);
    const high = wordBefore(bytes, end - 6);
    while (limbCount < d.length) limbSums[limbCount++] = 0;
    // One pass for four words needs fewer loads and stores.
    for (let j = 0; j < limbCount; j++)
      limbSums[j] += low * a[j] + second * b[j] + third * c[j] + high * d[j];
  }
  let at = encoded.length;
  let carry = 0;
  for (let j = 0; j < limbCount || carry > 0; j++) {
    const sum = j < limbCount ? limbSums[j] + carry : carry;
    carry = Math.floor(sum / ENCODE_RADIX);
    // Integers below 2^31: the engine divides them without a division.
    const limb = (sum - carry * ENCODE_RADIX) | 0;
    const high = (limb / 195_112) | 0;
    const rest = limb - high * 195_112;
    const middle = (rest / 58) | 0;
    encoded[--at] = ALPHABET_CODES[rest - middle * 58];
    encoded[--at] = DIGIT_PAIRS[middle] & 0xff;
    encoded[--at] = DIGIT_PAIRS[middle] >> 8;
    encoded[--at] = DIGIT_PAIRS[high] & 0xff;
    encoded[--at] = DIGIT_PAIRS[high] >> 8;
  }
  while (at < encoded.length && encoded[at] === ONE) at++;
  for (let i = 0; i < zeros; i++) encoded[--at] = ONE;
  return encodedBuffer === undefined
    ? String.fromCharCode(...encoded.subarray(at))
    : encodedBuffer.toString("latin1", at, encoded.length);
}

function leadingOnes(text: string): number {
  let ones = 0;
  while (ones < text.length && text.charCodeAt(ones) === ONE) ones++;
  return ones;
}

/** @throws DecodeError with the protocol's text */
function checkAlphabet(text: string): void {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code > 127 || DIGIT_VALUES[code] === 255) {
      throw new DecodeError(`assertion failed: Wrong char '${text[i]}' in Base58 string '${text}'`);
    }
  }
}

/** The result is off by one only for values within a billionth of a power of 256. */
function estimateDecodedLength(text: string): number {
  const zeros = leadingOnes(text);
  const digits = text.length - zeros;
  if (digits === 0) return zeros;
  let top = 0;
  const topDigits = Math.min(digits, 9);
  for (let i = zeros; i < zeros + topDigits; i++) top = top * 58 + DIGIT_VALUES[text.charCodeAt(i)];
  return zeros + Math.floor((Math.log2(top) + (digits - topDigits) * Math.log2(58)) / 8) + 1;
}

/**
 * Decodes strictly: no trimming, no checksum.
 * @param limit maximum length in characters
 * @throws DecodeError with the protocol's text for a character outside the alphabet, at any length
 * @throws TooLongError above the limit
 */
export function decodeBase58(text: string, limit: number): Uint8Array {
  checkAlphabet(text);
  if (text.length > limit) throw new TooLongError(text.length, limit, estimateDecodedLength(text));
  return text.length <= 2 * PART_CHARACTERS ? decodeShort(text) : decodeLong(text);
}

/** Like `decodeBase58`, but returns zeros, in the estimated decoded length, for a text above the limit. */
export function decodeBase58OrZerosIfTooLong(text: string, limit: number): Uint8Array {
  try {
    return decodeBase58(text, limit);
  } catch (error) {
    if (error instanceof TooLongError) return new Uint8Array(error.bytes);
    throw error;
  }
}

function decodeLong(text: string): Uint8Array {
  const zeros = leadingOnes(text);
  let parts: bigint[] = [];
  for (let end = text.length; end > zeros; end -= PART_CHARACTERS) {
    const bytes = decodeShort(text.slice(Math.max(zeros, end - PART_CHARACTERS), end));
    parts.push(BigInt(`0x0${encodeHex(bytes)}`));
  }
  // The least significant part comes first.
  for (let power = PART_POWER; parts.length > 1; power *= power) {
    const joined: bigint[] = [];
    for (let i = 0; i < parts.length; i += 2) {
      joined.push(i + 1 < parts.length ? parts[i + 1] * power + parts[i] : parts[i]);
    }
    parts = joined;
  }
  const hex = parts.length === 0 ? "" : parts[0].toString(16);
  const value = decodeHex(hex.length % 2 === 0 ? hex : `0${hex}`);
  const bytes = new Uint8Array(zeros + value.length);
  bytes.set(value, zeros);
  return bytes;
}

function decodeShort(text: string): Uint8Array {
  const length = text.length;
  const zeros = leadingOnes(text);
  const limbs: number[] = [];
  for (let i = zeros; i < length; ) {
    const count = Math.min((length - i) % 4 || 4, length - i);
    let carry = 0;
    for (const end = i + count; i < end; i++) carry = carry * 58 + DIGIT_VALUES[text.charCodeAt(i)];
    const radix = POWERS_OF_58[count];
    for (let j = 0; j < limbs.length; j++) {
      const value = limbs[j] * radix + carry;
      carry = Math.floor(value / DECODE_RADIX);
      limbs[j] = value - carry * DECODE_RADIX;
    }
    if (carry > 0) limbs.push(carry);
  }
  let size = limbs.length * 3;
  if (limbs.length > 0) {
    const top = limbs[limbs.length - 1];
    if (top < 0x100) size -= 2;
    else if (top < 0x1_0000) size -= 1;
  }
  const bytes = new Uint8Array(zeros + size);
  let at = bytes.length;
  for (let j = 0; j < limbs.length; j++) {
    let rest = limbs[j];
    for (let k = 0; k < 3 && at > zeros; k++) {
      bytes[--at] = rest & 0xff;
      rest >>>= 8;
    }
  }
  return bytes;
}

/** Maximum length of the text for a number of bytes: ceil(ln 256 / ln 58 · bytes). */
export function base58Length(bytes: number): number {
  return Math.ceil((Math.log(256) / Math.log(58)) * bytes);
}
