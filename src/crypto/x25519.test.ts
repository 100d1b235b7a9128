import { expect, test } from "vitest";
import { SeededRandom } from "../testing/seeded-random.ts";
import { ed25519KeyPair } from "./sodium.ts";
import { nobleToX25519, x25519Of } from "./x25519.ts";

/** A little-endian number, as in keys. */
function numbered(low: number, rest: number, high: number): Uint8Array {
  const bytes = new Uint8Array(32).fill(rest);
  bytes[0] = low;
  bytes[31] = high;
  return bytes;
}

test("both ways of converting a key to X25519 agree", () => {
  const random = new SeededRandom(1);
  const keys = [
    ...Array.from({ length: 20 }, () => ed25519KeyPair(random.bytes(32)).publicKey),
    // Half of these are points, in any subgroup.
    ...Array.from({ length: 40 }, () => random.bytes(32)),
    // Of small order or invalid, with either sign.
    ...[0, 0x80].flatMap((sign) => [0, 1, 2, 3].map((low) => numbered(low, 0, sign))),
    // Near the order of the field: not in shortest form from 0xed on.
    ...[0x7f, 0xff].flatMap((high) =>
      [0xe9, 0xec, 0xed, 0xee, 0xf0, 0xff].map((low) => numbered(low, 0xff, high)),
    ),
  ];
  const found = keys.map(x25519Of);
  expect(found).toEqual(keys.map(nobleToX25519));
  const points = found.filter((form) => form !== undefined);
  expect(points.length).toBeGreaterThan(30);
  expect(points.length).toBeLessThan(keys.length);
});
