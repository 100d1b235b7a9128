/** Where libraries disagree about ed25519, both implementations must follow the exact rule. Page 01 §7.2. */
import { createHash } from "node:crypto";
import { ed25519 } from "@noble/curves/ed25519.js";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { concatBytes } from "../bytes/compare.ts";
import { decodeHex } from "../bytes/hex.ts";
import { verifyEd25519 } from "./native.ts";
import { verifyEd25519 as portableValid } from "./portable.ts";
import { keyPairFromSeed } from "./seeds.ts";
import { sign } from "./signatures.ts";

const { Point } = ed25519;
const { Fn, Fp } = Point;

/** The eight points whose order divides 8. */
const smallOrder = ed25519TorsionPoints();

function ed25519TorsionPoints() {
  // A point of order 8.
  const generator = Point.fromHex("c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a");
  const points = [Point.ZERO];
  while (points.length < 8) points.push(points[points.length - 1].add(generator));
  return points;
}

function littleEndian(bytes: Uint8Array): bigint {
  let value = 0n;
  for (let i = bytes.length - 1; i >= 0; i--) value = (value << 8n) | BigInt(bytes[i]);
  return value;
}

/** The rule of page 01 §7.2, literally and slowly. */
function reference(key: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  if (key.length !== 32 || signature.length !== 64) return false;
  const yOf = (bytes: Uint8Array) => littleEndian(bytes) & ((1n << 255n) - 1n);
  const r = signature.subarray(0, 32);
  const s = littleEndian(signature.subarray(32));
  if (yOf(r) >= Fp.ORDER || s >= Fn.ORDER || yOf(key) >= Fp.ORDER) return false;
  let point: InstanceType<typeof Point>;
  try {
    point = Point.fromBytes(key, false);
  } catch {
    return false;
  }
  const hash = createHash("sha512")
    .update(concatBytes(r, key, message))
    .digest();
  const k = littleEndian(hash) % Fn.ORDER;
  const base = s === 0n ? Point.ZERO : Point.BASE.multiplyUnsafe(s);
  const sum = base.subtract(k === 0n ? Point.ZERO : point.multiplyUnsafe(k));
  return Buffer.from(sum.toBytes()).equals(r);
}

describe("ed25519", () => {
  test("follows the rule for points with a small-order component", () => {
    let accepted = 0;
    let count = 0;
    fc.assert(
      fc.property(fc.bigInt(1n, 2n ** 200n), fc.nat(7), fc.nat(7), fc.nat(3), (a, i, j, tweak) => {
        // tweak 0: an ordinary key; 1: a key of small order; 2: R of small order; 3: both.
        const key = (tweak & 1 ? Point.ZERO : Point.BASE.multiply(a)).add(smallOrder[i]).toBytes();
        const r = tweak & 2 ? 0n : a + 1n;
        const commitment = (r === 0n ? Point.ZERO : Point.BASE.multiply(r)).add(smallOrder[j]).toBytes();
        const message = Uint8Array.of(i, j);
        const hash = createHash("sha512")
          .update(concatBytes(commitment, key, message))
          .digest();
        const s = Fn.create(r + (littleEndian(hash) % Fn.ORDER) * (tweak & 1 ? 0n : a));
        const signature = concatBytes(commitment, Fn.toBytes(s));
        const expected = reference(key, message, signature);
        if (expected) accepted++;
        expect(verifyEd25519(key, message, signature)).toBe(expected);
        // Portable verification is as slow as the rule.
        if (count++ % 4 === 0) expect(portableValid(key, message, signature)).toBe(expected);
      }),
      { seed: 1, numRuns: 400 },
    );
    // Both results must occur.
    expect(accepted).toBeGreaterThan(20);
    expect(accepted).toBeLessThan(380);
  });

  test("accepts a signature and rejects any changed bit", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), fc.nat(), fc.nat(511), (message, nonce, bit) => {
        const pair = keyPairFromSeed(Uint8Array.of(1), nonce);
        const signature = sign(pair, message);
        expect(verifyEd25519(pair.publicKey, message, signature)).toBe(true);
        signature[bit >> 3] ^= 1 << (bit & 7);
        expect(verifyEd25519(pair.publicKey, message, signature)).toBe(false);
      }),
      { seed: 1 },
    );
  });

  test.each([
    ["01 and sign", "0100000000000000000000000000000000000000000000000000000000000080"],
    ["p - 1 and sign", "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff"],
    ["p", "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f"],
    ["p + 1", "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f"],
    ["2^255 - 1", "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff"],
  ])("rejects the key %s with any signature", (_, hex) => {
    const key = decodeHex(hex);
    // A neutral R with S = 0 fits any key whose product with k is neutral. These keys would be among them if
    // they were decoded.
    for (let i = 0; i < 64; i++) {
      const signature = concatBytes(Point.ZERO.toBytes(), new Uint8Array(32));
      expect(verifyEd25519(key, Uint8Array.of(i), signature)).toBe(false);
      expect(portableValid(key, Uint8Array.of(i), signature)).toBe(false);
    }
  });

  test("never throws for wrong lengths", () => {
    for (const valid of [verifyEd25519, portableValid]) {
      for (const length of [0, 31, 33, 64]) {
        expect(valid(new Uint8Array(length), new Uint8Array(0), new Uint8Array(64))).toBe(false);
        const signature = new Uint8Array(length === 64 ? 65 : length);
        expect(valid(new Uint8Array(32), new Uint8Array(0), signature)).toBe(false);
      }
    }
  });
});
