/** Byte strings written as text. Page 08 §3.3. */
import { decodeBase58 } from "../../bytes/base58.ts";
import { decodeBase64 } from "../../bytes/base64.ts";
import { DecodeError } from "../../bytes/errors.ts";

/** A byte string, or the message that says why the text is none. */
type DecodedText = { readonly bytes: Uint8Array } | { readonly error: string };

/** Decodes text of at most `limit` UTF-16 units, as literals and functions do. Page 08 §3.3. */
export function decodeText(format: "58" | "64", text: string, limit: number): DecodedText {
  if (text.length > limit) return { error: `base${format}Decode input exceeds ${limit}` };
  try {
    return { bytes: format === "58" ? decodeBase58(text, limit) : decodeBase64(text) };
  } catch (error) {
    if (error instanceof DecodeError) return { error: `can't parse Base${format} string` };
    throw error;
  }
}
