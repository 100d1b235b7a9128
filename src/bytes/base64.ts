/** Base64 (RFC 4648, standard alphabet) with the reference's decoder and error texts. Page 01 §3. */
import { DecodeError } from "./errors.ts";
import { int8 } from "./int64.ts";

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const PAD = 0x3d;
const QUESTION_MARK = 0x3f;
const PREFIX = "base64:";

/** Value of each character; -1 for an invalid one, -2 for padding. */
const DIGIT_VALUES = new Int8Array(256).fill(-1);
for (let i = 0; i < ALPHABET.length; i++) DIGIT_VALUES[ALPHABET.charCodeAt(i)] = i;
DIGIT_VALUES[PAD] = -2;

const SYMBOLS = Uint8Array.from(ALPHABET, (symbol) => symbol.charCodeAt(0));
const decoder = new TextDecoder();

/** Padded Base64 on one line, without `base64:`. */
export function encodeBase64(bytes: Uint8Array): string {
  const { length } = bytes;
  // Collecting bytes is ten times as fast as concatenating characters.
  const text = new Uint8Array(Math.ceil(length / 3) * 4);
  let at = 0;
  for (let i = 0; i < length; i += 3) {
    const bits = (bytes[i] << 16) | ((bytes[i + 1] ?? 0) << 8) | (bytes[i + 2] ?? 0);
    text[at++] = SYMBOLS[bits >>> 18];
    text[at++] = SYMBOLS[(bits >>> 12) & 63];
    text[at++] = SYMBOLS[(bits >>> 6) & 63];
    text[at++] = SYMBOLS[bits & 63];
  }
  const padding = (3 - (length % 3)) % 3;
  text.fill(PAD, at - padding);
  return decoder.decode(text);
}

/** Encodes Latin-1. A character above U+00FF or a surrogate pair becomes `?`. */
function encodeLatin1(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length);
  let size = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code <= 0xff) bytes[size++] = code;
    else {
      bytes[size++] = QUESTION_MARK;
      const next = text.charCodeAt(i + 1);
      if (code >= 0xd800 && code <= 0xdbff && next >= 0xdc00 && next <= 0xdfff) i++;
    }
  }
  return bytes.subarray(0, size);
}

/** Decodes groups of 4 symbols until one is invalid. Returns the number of symbols decoded. */
function decodeGroups(text: string, target: Uint8Array): number {
  let size = 0;
  let i = 0;
  for (; i + 4 <= text.length; i += 4) {
    const a = text.charCodeAt(i);
    const b = text.charCodeAt(i + 1);
    const c = text.charCodeAt(i + 2);
    const d = text.charCodeAt(i + 3);
    if ((a | b | c | d) > 0xff) break;
    const bits = (DIGIT_VALUES[a] << 18) | (DIGIT_VALUES[b] << 12) | (DIGIT_VALUES[c] << 6) | DIGIT_VALUES[d];
    if (bits < 0) break;
    target[size++] = bits >>> 16;
    target[size++] = bits >>> 8;
    target[size++] = bits;
  }
  return i;
}

/**
 * Decodes Base64, with or without the prefix `base64:`. Padding is optional; unused last bits are ignored.
 * @throws DecodeError with the protocol's text
 */
export function decodeBase64(text: string): Uint8Array {
  const symbolText = text.startsWith(PREFIX) ? text.slice(PREFIX.length) : text;
  const target = new Uint8Array(Math.ceil(symbolText.length / 4) * 3);
  const start = decodeGroups(symbolText, target);
  const source = encodeLatin1(start === 0 ? symbolText : symbolText.slice(start));
  let size = (start / 4) * 3;
  if (source.length === 0) return target.slice(0, size);
  if (source.length === 1 && start === 0) {
    throw new DecodeError("Input byte[] should at least have 2 bytes for base64 bytes");
  }
  let bits = 0;
  let symbols = 0;
  let at = 0;
  while (at < source.length) {
    const byte = source[at++];
    const value = DIGIT_VALUES[byte];
    if (value === -2) {
      if (symbols === 0 || (symbols === 2 && (at === source.length || source[at++] !== PAD))) {
        throw new DecodeError("Input byte array has wrong 4-byte ending unit");
      }
      break;
    }
    // The protocol prints bytes as signed.
    if (value === -1) throw new DecodeError(`Illegal base64 character ${int8(byte).toString(16)}`);
    bits = (bits << 6) | value;
    if (++symbols === 4) {
      target[size++] = bits >>> 16;
      target[size++] = bits >>> 8;
      target[size++] = bits;
      bits = 0;
      symbols = 0;
    }
  }
  if (symbols === 1) throw new DecodeError("Last unit does not have enough valid bits");
  if (symbols === 2) target[size++] = bits >>> 4;
  if (symbols === 3) {
    target[size++] = bits >>> 10;
    target[size++] = bits >>> 2;
  }
  if (at < source.length)
    throw new DecodeError(`Input byte array has incorrect ending byte at ${start + at}`);
  return target.slice(0, size);
}
