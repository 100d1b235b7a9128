import { decodeBase58 } from "./base58.ts";
import { decodeHex, encodeHex } from "./hex.ts";

/** Byte strings of one length from `first` to `last`, both included. */
export interface ByteRange {
  readonly first: Uint8Array;
  readonly last: Uint8Array;
}

/**
 * Returns the ranges of byte strings of `length` bytes whose Base58 text begins with the prefix: one range for each
 * length that the text can have. Omits byte strings that begin with a zero byte.
 * @param prefix 1 to 100 Base58 characters, the first not "1"; otherwise there are no ranges
 */
export function rangesOfPrefix(prefix: string, length: number): readonly ByteRange[] {
  if (!/^[2-9A-HJ-NP-Za-km-z][1-9A-HJ-NP-Za-km-z]{0,99}$/.test(prefix)) return [];
  const value = BigInt(`0x0${encodeHex(decodeBase58(prefix, prefix.length))}`);
  const limit = 256n ** BigInt(length);
  const min = 256n ** BigInt(length - 1);
  const ranges: ByteRange[] = [];
  for (let scale = 1n; ; scale *= 58n) {
    const low = value * scale;
    if (low >= limit) return ranges;
    const high = (value + 1n) * scale - 1n;
    if (high < min) continue;
    ranges.push({
      first: bigEndianBytes(low < min ? min : low, length),
      last: bigEndianBytes(high < limit ? high : limit - 1n, length),
    });
  }
}

function bigEndianBytes(value: bigint, length: number): Uint8Array {
  return decodeHex(value.toString(16).padStart(2 * length, "0"));
}
