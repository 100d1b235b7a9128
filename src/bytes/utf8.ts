/** UTF-8 as encoded and decoded by the reference's runtime. Page 01 §14. */

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

const SURROGATE = /[\ud800-\udfff]/;
const QUESTION_MARK = 0x3f;

/** From this length on, encoding into an oversized array is faster. */
const MIN_OVERSIZED_LENGTH = 4_096;

/** Lone surrogates become question marks. */
export function encodeUtf8(text: string): Uint8Array {
  if (SURROGATE.test(text)) return encodeSurrogates(text);
  if (text.length < MIN_OVERSIZED_LENGTH) return encoder.encode(text);
  const bytes = new Uint8Array(3 * text.length);
  const { written } = encoder.encodeInto(text, bytes);
  return trimBytes(bytes, written);
}

/** Copies the bytes if that halves the memory. */
function trimBytes(bytes: Uint8Array, length: number): Uint8Array {
  return 2 * length > bytes.length ? bytes.subarray(0, length) : bytes.slice(0, length);
}

/** The platform's encoder would write U+FFFD for lone surrogates. */
function encodeSurrogates(text: string): Uint8Array {
  const { length } = text;
  const bytes = new Uint8Array(3 * length);
  let at = 0;
  for (let i = 0; i < length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0x80) bytes[at++] = unit;
    else if (unit < 0x800) {
      bytes[at++] = 0xc0 | (unit >> 6);
      bytes[at++] = 0x80 | (unit & 0x3f);
    } else if (unit < 0xd800 || unit > 0xdfff) {
      bytes[at++] = 0xe0 | (unit >> 12);
      bytes[at++] = 0x80 | ((unit >> 6) & 0x3f);
      bytes[at++] = 0x80 | (unit & 0x3f);
    } else {
      const low = unit < 0xdc00 && i + 1 < length ? text.charCodeAt(i + 1) : 0;
      if (low < 0xdc00 || low > 0xdfff) bytes[at++] = QUESTION_MARK;
      else {
        const codePoint = 0x10000 + ((unit & 0x3ff) << 10) + (low & 0x3ff);
        bytes[at++] = 0xf0 | (codePoint >> 18);
        bytes[at++] = 0x80 | ((codePoint >> 12) & 0x3f);
        bytes[at++] = 0x80 | ((codePoint >> 6) & 0x3f);
        bytes[at++] = 0x80 | (codePoint & 0x3f);
        i++;
      }
    }
  }
  return trimBytes(bytes, at);
}

/** An encoded surrogate begins with `ED A0` to `ED BF`. `ED` is never a continuation byte. */
function hasSurrogateAt(bytes: Uint8Array, at: number): boolean {
  return bytes[at] === 0xed && at + 1 < bytes.length && (bytes[at + 1] & 0xe0) === 0xa0;
}

/** Replaces encoded surrogates, including a truncated one, by U+FFFD. */
function replaceSurrogates(bytes: Uint8Array): Uint8Array {
  const out: number[] = [];
  for (let i = 0; i < bytes.length; i++) {
    if (hasSurrogateAt(bytes, i)) {
      out.push(0xef, 0xbf, 0xbd);
      i += i + 2 < bytes.length && (bytes[i + 2] & 0xc0) === 0x80 ? 2 : 1;
    } else out.push(bytes[i]);
  }
  return Uint8Array.from(out);
}

/**
 * Decodes any bytes. Malformed sequences become U+FFFD as in the WHATWG standard, but an encoded surrogate becomes one
 * U+FFFD instead of three.
 */
export function decodeUtf8(bytes: Uint8Array): string {
  const text = decoder.decode(bytes);
  if (!text.includes("\ufffd")) return text;
  for (let i = 0; i < bytes.length; i++) {
    if (hasSurrogateAt(bytes, i)) return decoder.decode(replaceSurrogates(bytes));
  }
  return text;
}
