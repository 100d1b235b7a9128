import { DecodeError } from "./errors.ts";

const PAIRS = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

const DIGIT_VALUES = new Uint8Array(128).fill(255);
for (let i = 0; i < 16; i++) {
  DIGIT_VALUES["0123456789abcdef".charCodeAt(i)] = i;
  DIGIT_VALUES["0123456789ABCDEF".charCodeAt(i)] = i;
}

export function encodeHex(bytes: Uint8Array): string {
  let text = "";
  for (let i = 0; i < bytes.length; i++) text += PAIRS[bytes[i]];
  return text;
}

function digitAt(text: string, at: number): number {
  const code = text.charCodeAt(at);
  const value = code > 127 ? 255 : DIGIT_VALUES[code];
  if (value === 255) throw new DecodeError(`'${text[at]}' is not a hexadecimal digit`);
  return value;
}

/** @throws DecodeError for an invalid character or an odd length */
export function decodeHex(text: string): Uint8Array {
  if (text.length % 2 !== 0) throw new DecodeError("hexadecimal text has an odd length");
  const bytes = new Uint8Array(text.length / 2);
  for (let i = 0; i < bytes.length; i++) bytes[i] = digitAt(text, 2 * i) * 16 + digitAt(text, 2 * i + 1);
  return bytes;
}
