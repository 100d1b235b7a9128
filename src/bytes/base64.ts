/** Base64 (RFC 4648, standard alphabet), with the reference's strict decoder and its error texts. Page 01 §3. */
import { DecodeError } from "./errors.ts";

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const PAD = 0x3d;
const QUESTION_MARK = 0x3f;
const PREFIX = "base64:";

const VALUES = new Int8Array(256).fill(-1);
for (let i = 0; i < ALPHABET.length; i++) VALUES[ALPHABET.charCodeAt(i)] = i;
VALUES[PAD] = -2;

/** Base64 text with padding, on one line, without the prefix `base64:`. */
export function encodeBase64(bytes: Uint8Array): string {
  const parts: string[] = [];
  const whole = bytes.length - (bytes.length % 3);
  for (let i = 0; i < whole; i += 3) {
    const bits = (bytes[i] << 16) | (bytes[i + 1] << 8) | bytes[i + 2];
    parts.push(
      ALPHABET[bits >>> 18] +
        ALPHABET[(bits >>> 12) & 63] +
        ALPHABET[(bits >>> 6) & 63] +
        ALPHABET[bits & 63],
    );
  }
  const left = bytes.length - whole;
  if (left === 1) {
    const bits = bytes[whole];
    parts.push(`${ALPHABET[bits >>> 2]}${ALPHABET[(bits << 4) & 63]}==`);
  } else if (left === 2) {
    const bits = (bytes[whole] << 8) | bytes[whole + 1];
    parts.push(`${ALPHABET[bits >>> 10]}${ALPHABET[(bits >>> 4) & 63]}${ALPHABET[(bits << 2) & 63]}=`);
  }
  return parts.join("");
}

/** Latin-1 bytes of a text; a character above U+00FF (a surrogate pair counts as one) becomes `?`. */
function latin1(text: string): Uint8Array {
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

/**
 * Bytes of a Base64 text, with or without one leading `base64:`.
 * Padding may be missing as a whole; non-zero bits behind the last symbol are dropped.
 * @throws DecodeError with the protocol's text
 */
export function decodeBase64(text: string): Uint8Array {
  const source = latin1(text.startsWith(PREFIX) ? text.slice(PREFIX.length) : text);
  if (source.length === 0) return new Uint8Array(0);
  if (source.length === 1) {
    throw new DecodeError("Input byte[] should at least have 2 bytes for base64 bytes");
  }
  const target = new Uint8Array(Math.ceil(source.length / 4) * 3);
  let size = 0;
  let bits = 0;
  let symbols = 0;
  let at = 0;
  while (at < source.length) {
    const byte = source[at++];
    const value = VALUES[byte];
    if (value === -2) {
      if (symbols === 0 || (symbols === 2 && (at === source.length || source[at++] !== PAD))) {
        throw new DecodeError("Input byte array has wrong 4-byte ending unit");
      }
      break;
    }
    // The byte is printed with its sign, as all bytes in the protocol's texts are.
    if (value === -1) throw new DecodeError(`Illegal base64 character ${((byte << 24) >> 24).toString(16)}`);
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
  if (at < source.length) throw new DecodeError(`Input byte array has incorrect ending byte at ${at}`);
  return target.slice(0, size);
}
