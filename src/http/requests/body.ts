/** Reads request bodies of any media type. Page 06 §2.5. */
import type { IncomingMessage } from "node:http";
import { JsonError, type JsonValue, parseJsonPrefix } from "../../bytes/json.ts";
import { decodeUtf8 } from "../../bytes/utf8.ts";
import { ApiError, apiError, failures, invalidJson } from "../errors.ts";

const MAX_DEPTH = 64;

/** The server reads and discards bodies up to this multiple of the limit: clients read the answer after the body. */
const MAX_DRAINED_FACTOR = 4;

/** @throws ApiError 413 above `limit` bytes */
export function readBody(request: IncomingMessage, limit: number): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    if (Number(request.headers["content-length"]) > limit * MAX_DRAINED_FACTOR) {
      reject(apiError("bodyTooLarge", "body_size"));
      return;
    }
    request.on("data", (chunk: Buffer) => {
      length += chunk.length;
      if (length <= limit) chunks.push(chunk);
      else {
        chunks.length = 0;
        if (length > limit * MAX_DRAINED_FACTOR) {
          request.pause();
          reject(apiError("bodyTooLarge", "body_size"));
        }
      }
    });
    request.on("end", () => {
      if (length > limit) reject(apiError("bodyTooLarge", "body_size"));
      else resolve(Buffer.concat(chunks));
    });
    request.on("error", () => reject(apiError("badRequest")));
  });
}

/** Matches the end of the text, or the start of another JSON value. */
const NEXT_TOKEN =
  /[ \t\n\r]*(?:$|[{["]|(?:true|false|null)(?!\w)|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?=[ \t\n\r]|$))/y;

/**
 * Parses the first value, and checks only one token after it.
 * @throws ApiError error 1 for invalid JSON; 404 for an empty body, which no JSON route matches
 */
export function jsonBody(bytes: Uint8Array): JsonValue {
  if (bytes.length === 0) throw apiError("notFound");
  try {
    const text = decodeUtf8(bytes);
    const { value, end } = parseJsonPrefix(text, { maxDepth: MAX_DEPTH });
    NEXT_TOKEN.lastIndex = end;
    if (!NEXT_TOKEN.test(text)) throw new JsonError("unexpected text after the value", end);
    return value;
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    throw new ApiError(invalidJson(`${error.name}: ${error.message}`));
  }
}

const CHARSET = /;[ \t]*charset[ \t]*=[ \t]*(?:"([^"]*)"|([^;\s]+))/i;

const LATIN1 = new Set(["iso-8859-1", "iso8859-1", "latin1", "iso_8859-1", "l1", "cp819", "ibm819"]);
const WINDOWS_1252 = new Set(["windows-1252", "cp1252", "ibm-1252", "ibm1252"]);
/** Characters for the bytes 80 to 9F, of which five are undefined. */
const WINDOWS_1252_HIGH =
  "\u20ac\ufffd\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\ufffd\u017d\ufffd" +
  "\ufffd\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\ufffd\u017e\u0178";
const UTF_16 = new Set(["utf-16", "utf_16", "utf16", "unicodebig", "unicode"]);
const ASCII = new Set(["us-ascii", "ascii", "iso646-us", "ansi_x3.4-1968", "us", "cp367", "ibm367"]);

/** Removes the byte order mark. Default: big endian. */
function decodeUtf16(bytes: Uint8Array): string {
  const isLittle = bytes[0] === 0xff && bytes[1] === 0xfe;
  return new TextDecoder(isLittle ? "utf-16le" : "utf-16be").decode(bytes);
}

/**
 * Decodes text in the charset of the `Content-Type`, UTF-8 by default. Malformed bytes become U+FFFD.
 * @throws ApiError 404 for an unknown charset
 */
export function textBody(bytes: Uint8Array, contentType: string | undefined): string {
  const match = CHARSET.exec(contentType ?? "");
  const charset = (match?.[1] ?? match?.[2] ?? "utf-8").toLowerCase();
  if (
    charset === "utf-8" ||
    charset === "utf8" ||
    /^\s*application\/json\s*(?:;|$)/i.test(contentType ?? "")
  ) {
    return decodeUtf8(bytes);
  }
  // `TextDecoder` treats Latin-1 and ASCII as Windows-1252.
  if (LATIN1.has(charset)) return Buffer.from(bytes).toString("latin1");
  if (ASCII.has(charset))
    return Buffer.from(bytes)
      .toString("latin1")
      .replace(/[^\0-\x7f]/g, "\ufffd");
  if (WINDOWS_1252.has(charset)) {
    const text = Buffer.from(bytes).toString("latin1");
    return text.replace(/[\x80-\x9f]/g, (char) => WINDOWS_1252_HIGH[char.charCodeAt(0) - 0x80]);
  }
  if (UTF_16.has(charset)) return decodeUtf16(bytes);
  try {
    return new TextDecoder(charset, { ignoreBOM: true }).decode(bytes);
  } catch {
    throw new ApiError(failures.notFound);
  }
}
