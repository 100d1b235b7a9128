/** Page 07 §7.2. */
import { base58Length, decodeBase58OrZerosIfTooLong, encodeBase58 } from "../../../bytes/base58.ts";
import { tryDecode } from "../../../bytes/errors.ts";

export const encodings = ["hex", "base58", "base64"] as const;
export type Encoding = (typeof encodings)[number];

/** Page 02 §10.8, §10.15. */
export const MAX_ANCHOR_BYTES = 80;

export function encodingOf(name: string): Encoding | undefined {
  return encodings.find((one) => one === name);
}

/**
 * Returns undefined for invalid Base58. Hexadecimal ends at an invalid character or unpaired digit. Base64 has the
 * standard or URL-safe alphabet, ends at `=`, and skips invalid characters.
 */
export function decodeHash(text: string, encoding: Encoding): Uint8Array | undefined {
  if (encoding !== "base58") return new Uint8Array(Buffer.from(text, encoding));
  return tryDecode(() => decodeBase58OrZerosIfTooLong(text, base58Length(MAX_ANCHOR_BYTES)));
}

/** Hexadecimal is in lower case; Base64 is padded. */
export function encodeHash(bytes: Uint8Array, encoding: Encoding): string {
  return encoding === "base58" ? encodeBase58(bytes) : Buffer.from(bytes).toString(encoding);
}
