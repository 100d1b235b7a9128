/**
 * Base58 in the Bitcoin alphabet. Page 01 §2.
 *
 * Limbs instead of one digit at a time: a key or an id costs well under a microsecond either way.
 */
import { DecodeError } from "./errors.ts";

const ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
const ONE = 0x31;

/** Value of each ASCII character, 255 for those outside the alphabet. */
const VALUES = new Uint8Array(128).fill(255);
for (let i = 0; i < ALPHABET.length; i++) VALUES[ALPHABET.charCodeAt(i)] = i;

/** 58^5: the largest power whose product with 2^16 stays far below 2^53. */
const ENCODE_LIMB = 656_356_768;
/** 58^0 to 58^4. */
const POWERS = [1, 58, 3_364, 195_112, 11_316_496];
const DECODE_LIMB = 2 ** 24;

/** Base58 text of any bytes; empty bytes give the empty text. */
export function encodeBase58(bytes: Uint8Array): string {
  const length = bytes.length;
  let zeros = 0;
  while (zeros < length && bytes[zeros] === 0) zeros++;
  const limbs: number[] = [];
  // Two bytes at a time; the first step takes one when their number is odd.
  for (let i = zeros; i < length; ) {
    const single = ((length - i) & 1) === 1;
    const radix = single ? 256 : 65_536;
    let carry = single ? bytes[i] : bytes[i] * 256 + bytes[i + 1];
    i += single ? 1 : 2;
    for (let j = 0; j < limbs.length; j++) {
      const value = limbs[j] * radix + carry;
      carry = Math.floor(value / ENCODE_LIMB);
      limbs[j] = value - carry * ENCODE_LIMB;
    }
    if (carry > 0) limbs.push(carry);
  }
  let text = "";
  for (let j = 0; j < limbs.length; j++) {
    let rest = limbs[j];
    const last = j === limbs.length - 1;
    // Every limb but the most significant one is written with all its five digits.
    for (let digit = 0; last ? rest > 0 : digit < 5; digit++) {
      const quotient = Math.floor(rest / 58);
      text = ALPHABET[rest - quotient * 58] + text;
      rest = quotient;
    }
  }
  return zeros === 0 ? text : "1".repeat(zeros) + text;
}

/**
 * Bytes of a Base58 text. Strict: no trimming, no checksum, no limit of length (callers limit it,
 * because the work grows with its square).
 * @throws DecodeError with the protocol's text, naming the first character outside the alphabet
 */
export function decodeBase58(text: string): Uint8Array {
  const length = text.length;
  for (let i = 0; i < length; i++) {
    const code = text.charCodeAt(i);
    if (code > 127 || VALUES[code] === 255) {
      throw new DecodeError(`assertion failed: Wrong char '${text[i]}' in Base58 string '${text}'`);
    }
  }
  let zeros = 0;
  while (zeros < length && text.charCodeAt(zeros) === ONE) zeros++;
  const limbs: number[] = [];
  for (let i = zeros; i < length; ) {
    const count = Math.min((length - i) % 4 || 4, length - i);
    let carry = 0;
    for (const end = i + count; i < end; i++) carry = carry * 58 + VALUES[text.charCodeAt(i)];
    const radix = POWERS[count];
    for (let j = 0; j < limbs.length; j++) {
      const value = limbs[j] * radix + carry;
      carry = Math.floor(value / DECODE_LIMB);
      limbs[j] = value - carry * DECODE_LIMB;
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

/** The most characters that `bytes` bytes can take in Base58: ceil(ln 256 / ln 58 · bytes). */
export function base58Length(bytes: number): number {
  return Math.ceil((Math.log(256) / Math.log(58)) * bytes);
}
