/** Native hashes match plain JavaScript at every length. Page 01 §4. */
import { blake2b } from "@noble/hashes/blake2.js";
import { sha256 as plainSha256 } from "@noble/hashes/sha2.js";
import { keccak_256 } from "@noble/hashes/sha3.js";
import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { encodeHex } from "../bytes/hex.ts";
import { fastHash, keccak256, loadKeccak, sha256 } from "./hashes.ts";

const hashes = [
  { name: "keccak256", hash: keccak256, plain: keccak_256 },
  { name: "sha256", hash: sha256, plain: plainSha256 },
  { name: "fastHash", hash: fastHash, plain: (bytes: Uint8Array) => blake2b(bytes, { dkLen: 32 }) },
];

beforeAll(loadKeccak);

/** Bytes with a long period. */
function content(length: number): Uint8Array {
  return Uint8Array.from({ length }, (_, i) => (i * i) >> 3);
}

describe.each(hashes)("$name", ({ hash, plain }) => {
  test("matches plain JavaScript for every length up to several blocks", () => {
    const bytes = content(600);
    for (let length = 0; length <= bytes.length; length++) {
      const part = bytes.subarray(bytes.length - length);
      expect(encodeHex(hash(part)), String(length)).toBe(encodeHex(plain(part)));
    }
  });

  // Lengths around the limits of the WebAssembly memory and of OpenSSL, and the maximum.
  test.each([2_047, 2_048, 64_872, 65_007, 65_008, 65_009, 65_536, 98_301, 130_016, 130_017])(
    "has the digest of plain JavaScript for %i bytes",
    (length) => {
      const bytes = content(length);
      expect(encodeHex(hash(bytes))).toBe(encodeHex(plain(bytes)));
    },
  );

  test("matches plain JavaScript for consecutive random inputs", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 3_000 }), (bytes) => {
        expect(encodeHex(hash(bytes))).toBe(encodeHex(plain(bytes)));
      }),
      { seed: 1 },
    );
  });

  test("changes neither its argument nor earlier digests, also in shared memory", () => {
    const bytes = new Uint8Array(new SharedArrayBuffer(3_000));
    bytes.set(content(3_000));
    const first = hash(bytes);
    const text = encodeHex(first);
    hash(content(500));
    expect(encodeHex(first)).toBe(text);
    expect(encodeHex(bytes)).toBe(encodeHex(content(3_000)));
    expect(text).toBe(encodeHex(plain(content(3_000))));
  });
});
