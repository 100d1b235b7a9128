/**
 * Compares the parsers on their most expensive inputs (a megabyte, or the maximum that a parser accepts) with
 * `JSON.parse` of a megabyte in the same run. No parser may be much slower than that.
 */
import {
  base58Length,
  decodeBase58,
  decodeBase58OrZerosIfTooLong,
  encodeBase58,
  MAX_BASE58_BYTES,
} from "../src/bytes/base58.ts";
import { decodeBase64, encodeBase64 } from "../src/bytes/base64.ts";
import { decodeHex, encodeHex } from "../src/bytes/hex.ts";
import { JsonNumber, parseJson, printJson } from "../src/bytes/json.ts";
import { decodeUtf8, encodeUtf8 } from "../src/bytes/utf8.ts";
import { report } from "./figures.ts";
import { type Contender, compare, rate } from "./support.ts";

const MEGABYTE = 1_048_576;

function contender(name: string, task: () => void): Contender {
  return { name, measure: () => rate(task, 100) };
}

/** A list of as many equal elements as fit in a megabyte. */
function listOf(element: string): string {
  return `[${Array(Math.floor(MEGABYTE / (element.length + 1)) - 1)
    .fill(element)
    .join(",")}]`;
}

const plain = listOf('{"type":4,"recipient":"3JuijVBB7NCwCz2Ae5HhCDsqCXzeBLRTyeL","amount":100000000}');
const members = `{${Array.from({ length: 60_000 }, (_, i) => `"${i * 65_536}":1`).join(",")}}`;
const bytes = Uint8Array.from({ length: MEGABYTE }, (_, i) => (i * 7_919 + 1) & 0xff);
const most = bytes.subarray(0, MAX_BASE58_BYTES);
const longestMessage = encodeBase58(most);
const digits = "9".repeat(MEGABYTE);
const base58 = "z".repeat(MEGABYTE);
const hex = encodeHex(bytes);
const base64 = encodeBase64(bytes);
const broken = new Uint8Array(MEGABYTE).fill(0xed);
const halves = "\ud800".repeat(MEGABYTE);
const parsed = parseJson(plain);

const contenders = [
  contender("JSON.parse of transactions", () => JSON.parse(plain)),
  contender("JSON: transactions", () => parseJson(plain)),
  contender("JSON: empty lists", () => parseJson(listOf("[]"))),
  contender("JSON: escapes", () => parseJson(`"${"\\u0041".repeat(170_000)}"`)),
  contender("JSON: names that are indexes", () => parseJson(members)),
  contender("JSON: one number", () => parseJson(digits)),
  contender("JSON: printed", () => printJson(parsed)),
  contender("number of a million digits", () => new JsonNumber(digits).toInt64Wrapping()),
  contender("Base58: decoded, the longest", () =>
    decodeBase58(longestMessage, base58Length(MAX_BASE58_BYTES)),
  ),
  contender("Base58: encoded, the longest", () => encodeBase58(most)),
  contender("Base58: a megabyte, too long", () => decodeBase58OrZerosIfTooLong(base58, 100)),
  contender("Base64: decoded", () => decodeBase64(base64)),
  contender("hexadecimal: decoded", () => decodeHex(hex)),
  contender("UTF-8: broken", () => decodeUtf8(broken)),
  contender("UTF-8: half pairs, written", () => encodeUtf8(halves)),
];

for (const { name, median, ratio } of await compare(contenders, 3))
  report(`${name}, against JSON.parse`, 1 / ratio, "times", undefined, `${(1e3 / median).toFixed(2)} ms`);
