/** UTF-8 as the reference's runtime reads and writes it. Page 01 §14. */

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** A surrogate that is not half of a pair. */
const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** UTF-8 bytes of a text. A lone surrogate becomes a question mark. */
export function encodeUtf8(text: string): Uint8Array {
  return encoder.encode(text.replace(LONE_SURROGATE, "?"));
}

/** Whether an encoded surrogate (`ED A0..BF`) begins at `at`. `ED` is never a continuation byte. */
function surrogateAt(bytes: Uint8Array, at: number): boolean {
  return bytes[at] === 0xed && at + 1 < bytes.length && (bytes[at + 1] & 0xe0) === 0xa0;
}

/** The bytes with each encoded surrogate, whole or cut off, replaced by one encoded U+FFFD. */
function replaceSurrogates(bytes: Uint8Array): Uint8Array {
  const out: number[] = [];
  for (let i = 0; i < bytes.length; i++) {
    if (surrogateAt(bytes, i)) {
      out.push(0xef, 0xbf, 0xbd);
      i += i + 2 < bytes.length && (bytes[i + 2] & 0xc0) === 0x80 ? 2 : 1;
    } else out.push(bytes[i]);
  }
  return Uint8Array.from(out);
}

/**
 * Text of UTF-8 bytes; never fails. Malformed sequences become U+FFFD as the WHATWG decoder does it, except
 * that an encoded surrogate gives one U+FFFD, not three. A byte order mark is kept.
 */
export function decodeUtf8(bytes: Uint8Array): string {
  const text = decoder.decode(bytes);
  if (!text.includes("\ufffd")) return text;
  for (let i = 0; i < bytes.length; i++) {
    if (surrogateAt(bytes, i)) return decoder.decode(replaceSurrogates(bytes));
  }
  return text;
}
