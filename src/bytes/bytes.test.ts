import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { immutableMapEntries } from "../collections/hash-trie.ts";
import {
  base58Length,
  decodeBase58,
  decodeBase58OrZerosIfTooLong,
  encodeBase58,
  MAX_BASE58_BYTES,
} from "./base58.ts";
import { decodeBase64, encodeBase64 } from "./base64.ts";
import { bytesEqual, bytesKey, compareBytes, concatBytes } from "./compare.ts";
import { DecodeError, TooLongError } from "./errors.ts";
import { decodeHex, encodeHex } from "./hex.ts";
import { fitsInt64, INT64_MAX, INT64_MIN, int64, safeSum } from "./int64.ts";
import { ByteReader } from "./reader.ts";
import { keyBytes } from "./testing/key-bytes.ts";
import { decodeUtf8, encodeUtf8 } from "./utf8.ts";
import { ByteWriter } from "./writer.ts";

const bytes = fc.uint8Array({ maxLength: 100 });
const zerosAndBytes = fc
  .tuple(fc.nat(5), bytes)
  .map(([zeros, tail]) => concatBytes(new Uint8Array(zeros), tail));
const options = { seed: 1, numRuns: 500 };

/** Base58 by its definition: one big number. */
function slowBase58(source: Uint8Array): string {
  const alphabet = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
  let number = source.length === 0 ? 0n : BigInt(`0x${encodeHex(source)}`);
  let text = "";
  for (; number > 0n; number /= 58n) text = alphabet[Number(number % 58n)] + text;
  let zeros = 0;
  while (zeros < source.length && source[zeros] === 0) zeros++;
  return "1".repeat(zeros) + text;
}

describe("texts of bytes", () => {
  test("Base58 round-trips", () => {
    fc.assert(
      fc.property(zerosAndBytes, (source) => {
        expect(encodeBase58(source)).toBe(slowBase58(source));
        expect(decodeBase58(encodeBase58(source), 200)).toEqual(source);
      }),
      options,
    );
  });

  test("Base58 handles large limbs", () => {
    for (let length = 0; length < 70; length++) {
      const source = new Uint8Array(length).fill(0xff);
      expect(encodeBase58(source)).toBe(slowBase58(source));
      expect(decodeBase58(encodeBase58(source), 200)).toEqual(source);
    }
  });

  test("Base58 handles input longer than any key", () => {
    for (const length of [240, 255, 256, 257, 350, 351, 352, 700, 701, 1_400, 2_500]) {
      for (const zeros of [0, 1, 260]) {
        const digits = Uint8Array.from({ length }, (_, i) => (i === 0 ? 1 : i * i * 131));
        const source = concatBytes(new Uint8Array(zeros), digits);
        const text = encodeBase58(source);
        expect(text).toBe(slowBase58(source));
        expect(decodeBase58(text, text.length)).toEqual(source);
      }
    }
    const zeros = new Uint8Array(1_000);
    expect(encodeBase58(zeros)).toBe("1".repeat(1_000));
    expect(decodeBase58("1".repeat(1_000), 1_000)).toEqual(zeros);
    // Powers of the digits that are converted together.
    for (const parts of [1, 2, 3, 4]) {
      const text = `2${"1".repeat(240 * parts)}`;
      expect(encodeBase58(decodeBase58(text, text.length))).toBe(text);
    }
  });

  test("Base58 round-trips the longest allowed bytes", () => {
    const source = Uint8Array.from({ length: MAX_BASE58_BYTES }, (_, i) => (i * 7_919 + 1) & 0xff);
    const text = encodeBase58(source);
    expect(bytesEqual(decodeBase58(text, base58Length(MAX_BASE58_BYTES)), source)).toBe(true);
    expect(() => encodeBase58(new Uint8Array(MAX_BASE58_BYTES + 1))).toThrow(RangeError);
  });

  test("Base58 decoding requires a limit", () => {
    // A million digits would take minutes to decode: they are only counted.
    const text = "z".repeat(1_000_000);
    const bytes = Math.floor((1_000_000 * Math.log(58)) / Math.log(256)) + 1;
    expect(() => decodeBase58(text, 999_999)).toThrow(TooLongError);
    expect(decodeBase58OrZerosIfTooLong(text, 100).length).toBe(bytes);
    expect(() => decodeBase58OrZerosIfTooLong(`${text}0`, 100)).toThrow("assertion failed: Wrong char '0'");
    expect(() => decodeBase58("222", 2)).toThrow("text of 3 characters exceeds the limit of 2");
    // @ts-expect-error who asks says how much at most
    expect(decodeBase58("222")).toEqual(decodeBase58("222", 3));
  });

  test("Base58 text above the limit reports its exact byte length", () => {
    fc.assert(
      fc.property(zerosAndBytes, (source) => {
        fc.pre(source.length > 0);
        expect(decodeBase58OrZerosIfTooLong(encodeBase58(source), 0)).toEqual(new Uint8Array(source.length));
      }),
      options,
    );
  });

  test("Base64 round-trips like the platform's", () => {
    fc.assert(
      fc.property(bytes, (source) => {
        const text = encodeBase64(source);
        expect(text).toBe(Buffer.from(source).toString("base64"));
        expect(decodeBase64(text)).toEqual(source);
        expect(decodeBase64(`base64:${text.replace(/=+$/, "")}`)).toEqual(source);
      }),
      options,
    );
  });

  test("Base64 decoding does not depend on preceding whole groups", () => {
    const outcome = (text: string, ahead: number) => {
      try {
        return encodeHex(decodeBase64(text).subarray((ahead / 4) * 3));
      } catch (error) {
        if (!(error instanceof DecodeError)) throw error;
        // Indices count from the start of the text.
        return error.message.replace(
          /byte at (\d+)/,
          (_, place: string) => `byte at ${Number(place) - ahead}`,
        );
      }
    };
    const tail = fc.string({
      unit: fc.constantFrom(..."AZaz09+/=== é€\u{1f600}"),
      minLength: 4,
      maxLength: 14,
    });
    fc.assert(
      fc.property(fc.nat(5), tail, (groups, text) => {
        expect(outcome("Ab+/".repeat(groups) + text, 4 * groups)).toBe(outcome(text, 0));
      }),
      { ...options, numRuns: 2_000 },
    );
  });

  test("UTF-8 writes a question mark for a lone surrogate", () => {
    const half = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;
    const unit = fc.constantFrom(
      ..."a\x7f\x80\u07ff\u0800\ud7ff\ud800\udbff\udc00\udfff\ue000\uffff".split(""),
    );
    fc.assert(
      fc.property(fc.array(unit, { maxLength: 12 }), (units) => {
        const text = units.join("");
        expect(encodeHex(encodeUtf8(text))).toBe(encodeHex(Buffer.from(text.replace(half, "?"), "utf8")));
      }),
      { ...options, numRuns: 3_000 },
    );
  });

  test.each(["a", "é", "€", "a\u{10000}", "\ud800", "€a"])("UTF-8 encodes a long text of %j", (part) => {
    const text = part.repeat(5_000);
    const expected = Buffer.from(text.replaceAll(/\ud800(?![\udc00-\udfff])/g, "?"), "utf8");
    expect(encodeHex(encodeUtf8(text))).toBe(encodeHex(expected));
    expect(encodeUtf8(text).byteLength).toBe(expected.length);
  });

  test("hexadecimal round-trips and rejects invalid text", () => {
    fc.assert(
      fc.property(bytes, (source) => {
        expect(encodeHex(source)).toBe(Buffer.from(source).toString("hex"));
        expect(decodeHex(encodeHex(source).toUpperCase())).toEqual(source);
      }),
      options,
    );
    for (const text of ["0", "0g", "é0", "  "]) expect(() => decodeHex(text)).toThrow(DecodeError);
  });

  test("UTF-8 round-trips well-formed text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(decodeUtf8(encodeUtf8(text))).toBe(text);
        expect(encodeUtf8(text)).toEqual(new Uint8Array(Buffer.from(text, "utf8")));
      }),
      options,
    );
  });

  test("UTF-8 decodes whole and truncated encoded surrogates", () => {
    expect(decodeUtf8(Uint8Array.of(0xed, 0xa0, 0x80))).toBe("\ufffd");
    expect(decodeUtf8(Uint8Array.of(0xed, 0xa0))).toBe("\ufffd");
    expect(decodeUtf8(Uint8Array.of(0xed, 0xa0, 0x41))).toBe("\ufffdA");
    expect(decodeUtf8(Uint8Array.of(0xed, 0xa0, 0x80, 0xed, 0xbf, 0xbf, 0x41))).toBe("\ufffd\ufffdA");
    // The last character before the surrogates.
    expect(decodeUtf8(Uint8Array.of(0xed, 0x9f, 0xbf))).toBe("\ud7ff");
  });

  test("map keys distinguish bytes and can be reversed", () => {
    fc.assert(
      fc.property(bytes, (source) => {
        expect(keyBytes(bytesKey(source))).toEqual(source);
      }),
      options,
    );
    const long = Uint8Array.from({ length: 10_000 }, (_, i) => i);
    expect(keyBytes(bytesKey(long))).toEqual(long);
  });
});

describe("integers", () => {
  test("wrap and add at 64 bits", () => {
    expect(int64(INT64_MAX + 1n)).toBe(INT64_MIN);
    expect(safeSum(INT64_MAX, 1n)).toBe(INT64_MIN);
    expect(safeSum(INT64_MIN, -1n)).toBe(INT64_MIN);
    expect(safeSum(INT64_MAX, -1n)).toBe(INT64_MAX - 1n);
    expect([INT64_MIN - 1n, INT64_MIN, INT64_MAX, INT64_MAX + 1n].map(fitsInt64)).toEqual([
      false,
      true,
      true,
      false,
    ]);
  });
});

describe("reader and writer", () => {
  test("round-trip all types", () => {
    const parts = fc.tuple(
      fc.nat(255),
      fc.integer({ min: -128, max: 127 }),
      fc.nat(65_535),
      fc.integer({ min: -32_768, max: 32_767 }),
      fc.nat(2 ** 32 - 1),
      fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }),
      fc.bigInt(INT64_MIN, INT64_MAX),
      bytes,
    );
    fc.assert(
      fc.property(parts, fc.nat(3), ([u8, i8, u16, i16, u32, i32, i64, tail], offset) => {
        const written = new ByteWriter(1).u8(u8).i8(i8).u16(u16).i16(i16).u32(u32).i32(i32).i64(i64);
        const whole = concatBytes(new Uint8Array(offset), written.bytes(tail).toBytes());
        // A view with an offset.
        const reader = new ByteReader(whole.subarray(offset));
        expect(reader.u8()).toBe(u8);
        expect(reader.i8()).toBe(i8);
        expect(reader.u16()).toBe(u16);
        expect(reader.i16()).toBe(i16);
        expect(reader.u32()).toBe(u32);
        expect(reader.i32()).toBe(i32);
        expect(reader.i64()).toBe(i64);
        expect(reader.remaining).toBe(tail.length);
        expect(reader.rest()).toEqual(tail);
        expect(reader.remaining).toBe(0);
      }),
      options,
    );
  });

  test("refuse to read backwards or past the end, and keep the position", () => {
    const reader = new ByteReader(new Uint8Array(7), 3);
    for (const read of [
      () => reader.i64(),
      () => reader.bytes(5),
      () => reader.skip(-1),
      () => reader.bytes(-2),
    ]) {
      expect(read).toThrow(DecodeError);
    }
    expect(() => reader.bytes(Number.NaN)).toThrow(DecodeError);
    expect(reader.position).toBe(3);
    expect(reader.i32()).toBe(0);
    expect(() => reader.u8()).toThrow(DecodeError);
  });
});

test("long byte strings are equal if all their bytes are, at any offset", () => {
  for (const length of [511, 512, 513, 5_000]) {
    const memory = new Uint8Array(new SharedArrayBuffer(length + 3)).fill(7);
    const [a, b] = [new Uint8Array(length).fill(7), memory.subarray(3)];
    expect(bytesEqual(a, b)).toBe(true);
    for (const at of [0, 510, length - 1]) {
      b[at] = 8;
      expect(bytesEqual(a, b)).toBe(false);
      b[at] = 7;
    }
    expect(bytesEqual(a, memory)).toBe(false);
  }
});

describe("order", () => {
  test("compares unsigned bytes, a prefix first", () => {
    fc.assert(
      fc.property(bytes, bytes, (a, b) => {
        expect(Math.sign(compareBytes(a, b))).toBe(Buffer.compare(a, b));
        expect(bytesEqual(a, b)).toBe(Buffer.compare(a, b) === 0);
      }),
      options,
    );
    expect(bytesEqual(Uint8Array.of(1, 2), Uint8Array.of(1, 2))).toBe(true);
  });

  test("keeps the place of a repeated key in an immutable map only up to four entries", () => {
    const keyed = (...keys: number[]) => keys.map((key, i) => [Uint8Array.of(key), i] as const);
    const small = immutableMapEntries(keyed(1, 2, 1));
    expect(small).toEqual([
      [Uint8Array.of(1), 2],
      [Uint8Array.of(2), 1],
    ]);
    // Two keys with the same hash: 31·(31 + 0) + 31 = 31·(31 + 1) + 0.
    const [a, b] = [Uint8Array.of(0, 31), Uint8Array.of(1, 0)];
    const others = keyed(3, 4, 5);
    const order = (entries: readonly (readonly [Uint8Array, number])[]) =>
      immutableMapEntries(entries)
        .map(([key]) => key)
        .filter((key) => key.length === 2);
    expect(order([[a, 0], [b, 0], ...others])).toEqual([a, b]);
    expect(order([[a, 0], [b, 0], ...others, [a, 1]])).toEqual([b, a]);
    expect(order([[a, 0], [b, 0], [a, 1], ...others])).toEqual([a, b]);
  });
});
