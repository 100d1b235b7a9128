/** The bytes of requests and ways to change them. */
import { concatBytes } from "../../../src/bytes/compare.ts";
import { encodeUtf8 } from "../../../src/bytes/utf8.ts";
import type { SeededRandom } from "../../../src/testing/seeded-random.ts";
import { changed, spliced } from "../mutations.ts";
import type { Sample } from "./samples.ts";

const METHODS = ["get", "GE T", "PROPFIND", "CONNECT", "PRI", "", "M-SEARCH", "G".repeat(100), "\0"];
const TARGETS = [
  "*",
  "//",
  "/..",
  "/../..//blocks",
  "http://[::1]/",
  "http://x",
  "/%00",
  "/%2e%2e/",
  "/%C0%AF",
  "?",
  "#",
  "/\t",
];
const VERSIONS = ["HTTP/1.0", "HTTP/1.1", "HTTP/2.0", "HTTP/0.9", "HTTP/1.", "HTTX/1.1", ""];
const HEADERS = [
  "Host:",
  "Host: a\r\nHost: b",
  "Content-Length: 10\r\nContent-Length: 11",
  "Content-Length: -1",
  "Content-Length: 99999999999999999999",
  "Transfer-Encoding: chunked\r\nContent-Length: 5",
  "Transfer-Encoding: gzip, chunked",
  "Transfer-Encoding: identity",
  "Connection: close",
  "Connection: upgrade\r\nUpgrade: websocket",
  "Upgrade: h2c",
  "Expect: 100-continue",
  " folded: x",
  "X : y",
  ": z",
  "X: \0",
  "X: \x80\xff",
  `Cookie: ${"c".repeat(9_000)}`,
  `X: ${"y".repeat(20_000)}`,
  Array.from({ length: 150 }, (_, i) => `H${i}: v`).join("\r\n"),
  Array.from({ length: 3_000 }, () => "a:b").join("\r\n"),
];

/** A request before any mutation. */
export function bytesOf({ method, target, headers, body }: Sample): Uint8Array {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const length = body === undefined ? [] : [`Content-Length: ${body.length}`];
  const head = [`${method} ${target} HTTP/1.1`, "Host: 127.0.0.1", ...lines, ...length, "", ""].join("\r\n");
  return concatBytes(Buffer.from(head, "latin1"), body ?? new Uint8Array(0));
}

/** The same request with a chunked body, whose chunks may be malformed. */
function chunked({ method, target, headers, body }: Sample, random: SeededRandom): Uint8Array {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const head = [
    `${method} ${target} HTTP/1.1`,
    "Host: 127.0.0.1",
    ...lines,
    "Transfer-Encoding: chunked",
    "",
    "",
  ];
  const parts: Uint8Array[] = [Buffer.from(head.join("\r\n"), "latin1")];
  const bytes = body ?? new Uint8Array(0);
  for (let at = 0; at < bytes.length; ) {
    const length = Math.min(bytes.length - at, 1 + random.below(Math.max(50, bytes.length >> 3)));
    const told = random.chance(95)
      ? length.toString(16)
      : random.pick(["-1", "fffffffffffffffff", "", "zz", "0x1"]);
    const extension = random.chance(10) ? `;${"e".repeat(random.below(200))}=1` : "";
    parts.push(encodeUtf8(`${told}${extension}\r\n`), bytes.subarray(at, at + length), encodeUtf8("\r\n"));
    at += length;
  }
  const trailer = random.chance(20) ? random.pick(HEADERS) : "";
  parts.push(encodeUtf8(`0\r\n${trailer === "" ? "" : `${trailer}\r\n`}\r\n`));
  return concatBytes(...parts);
}

/** The same request with another request line or header. */
function bent(sample: Sample, random: SeededRandom): Uint8Array {
  const text = Buffer.from(bytesOf(sample)).toString("latin1");
  const [first, ...rest] = text.split("\r\n");
  const [method, target] = first.split(" ");
  switch (random.below(4)) {
    case 0:
      return Buffer.from([`${random.pick(METHODS)} ${target} HTTP/1.1`, ...rest].join("\r\n"), "latin1");
    case 1:
      return Buffer.from([`${method} ${random.pick(TARGETS)} HTTP/1.1`, ...rest].join("\r\n"), "latin1");
    case 2:
      return Buffer.from([`${method} ${target} ${random.pick(VERSIONS)}`, ...rest].join("\r\n"), "latin1");
    default:
      return Buffer.from([first, random.pick(HEADERS), ...rest].join("\r\n"), "latin1");
  }
}

/** Splits bytes into a few pieces of random size. */
export function inPieces(bytes: Uint8Array, random: SeededRandom): Uint8Array[] {
  const pieces: Uint8Array[] = [];
  let at = 0;
  for (let i = random.below(4); i > 0 && at < bytes.length; i--) {
    const end = at + 1 + random.below(bytes.length - at);
    pieces.push(bytes.subarray(at, end));
    at = end;
  }
  if (at < bytes.length) pieces.push(bytes.subarray(at));
  return pieces;
}

/** Bytes that violate HTTP, or an incomplete exchange. @param other returns another request */
export function rawOf(sample: Sample, other: () => Sample, random: SeededRandom): Uint8Array {
  switch (random.below(8)) {
    case 0:
    case 1:
      return changed(bytesOf(sample), random);
    case 2:
      return spliced(bytesOf(sample), bytesOf(other()), random);
    case 3:
      return chunked(sample, random);
    case 4:
      return changed(chunked(sample, random), random);
    case 5:
      // Pipelined requests: a few, or more than the limit.
      return concatBytes(...Array.from({ length: 2 + random.below(40) }, () => bytesOf(other())));
    case 6: {
      const bytes = bytesOf(sample);
      return bytes.subarray(0, random.below(bytes.length));
    }
    default:
      return bent(sample, random);
  }
}
