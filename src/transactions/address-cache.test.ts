import { expect, test } from "vitest";
import { concatBytes } from "../bytes/compare.ts";
import { ByteReader } from "../bytes/reader.ts";
import { addressOf, InvalidAddressError } from "../crypto/addresses.ts";
import { keyTypeInfo } from "../crypto/key-types.ts";
import { cachedAddressOf, readAddress, readKey } from "./address-cache.ts";

const CHAIN = 0x5a;
const ed25519 = keyTypeInfo("ed25519");
const secp256k1 = keyTypeInfo("secp256k1");
const padding = Uint8Array.of(9, 9, 9);

/** A reader positioned at the bytes, with more bytes after them. */
function at(bytes: Uint8Array): ByteReader {
  return new ByteReader(concatBytes(padding, bytes, padding), padding.length);
}

test("returns the same object for the same key and keeps no view of the source", () => {
  const bytes = new Uint8Array(32).fill(7);
  const reader = at(bytes);
  const key = readKey(reader, ed25519);
  expect(key).toEqual({ keyType: "ed25519", bytes });
  expect(reader.remaining).toBe(padding.length);
  reader.source.fill(1);
  expect(readKey(at(bytes), ed25519)).toBe(key);
  expect(key.bytes).toEqual(bytes);
  expect(cachedAddressOf(key, CHAIN)).toEqual(addressOf(bytes, CHAIN));
  expect(cachedAddressOf({ keyType: "ed25519", bytes: bytes.slice() }, CHAIN)).toBe(
    cachedAddressOf(key, CHAIN),
  );
  expect(cachedAddressOf(key, CHAIN + 1)).toEqual(addressOf(bytes, CHAIN + 1));
  expect(cachedAddressOf(key, CHAIN)).toEqual(addressOf(bytes, CHAIN));
});

test("distinguishes keys in the same slot: another key, another type, a prefix", () => {
  const bytes = new Uint8Array(33);
  bytes[0] = 2;
  const key = readKey(at(bytes), secp256k1);
  expect(key).toEqual({ keyType: "secp256k1", bytes });
  expect(readKey(at(bytes), keyTypeInfo("secp256r1"))).toEqual({ keyType: "secp256r1", bytes });
  expect(readKey(at(bytes), ed25519)).toEqual({ keyType: "ed25519", bytes: bytes.subarray(0, 32) });
  const other = bytes.slice();
  other[32] = 1;
  expect(readKey(at(other), secp256k1).bytes).toEqual(other);
  expect(cachedAddressOf({ keyType: "secp256k1", bytes }, CHAIN)).toEqual(addressOf(bytes, CHAIN));
  // Keys that are not read from bytes can have any length, like the one of genesis transactions.
  for (const length of [0, 1, 31, 32, 33]) {
    const short = bytes.subarray(0, length);
    const made = { keyType: "ed25519" as const, bytes: short };
    expect(cachedAddressOf(made, CHAIN)).toEqual(addressOf(short, CHAIN));
    expect(readKey(at(bytes), ed25519).bytes).toEqual(bytes.subarray(0, 32));
    expect(cachedAddressOf(made, CHAIN)).toEqual(addressOf(short, CHAIN));
  }
});

test("returns the same object for the same address, only on the address's network", () => {
  const address = addressOf(new Uint8Array(32).fill(3), CHAIN);
  const reader = at(address);
  const read = readAddress(reader, CHAIN);
  expect(read).toEqual(address);
  expect(reader.remaining).toBe(padding.length);
  reader.source.fill(1);
  expect(readAddress(at(address), CHAIN)).toBe(read);
  expect(read).toEqual(address);
  expect(() => readAddress(at(address), CHAIN + 1)).toThrow(InvalidAddressError);
  const broken = address.slice();
  broken[25] ^= 1;
  expect(() => readAddress(at(broken), CHAIN)).toThrow(InvalidAddressError);
  const unversioned = address.slice();
  unversioned[0] ^= 1;
  expect(() => readAddress(at(unversioned), CHAIN)).toThrow(InvalidAddressError);
  expect(readAddress(at(address), CHAIN)).toBe(read);
});

test("refuses an address of zeros, also if the chain id is 0", () => {
  expect(() => readAddress(new ByteReader(new Uint8Array(26)), 0)).toThrow(InvalidAddressError);
});
