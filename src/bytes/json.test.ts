import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { INT64_MAX, INT64_MIN } from "./int64.ts";
import {
  JsonError,
  JsonNumber,
  type JsonOut,
  type JsonValue,
  parseJson,
  printJson,
  printNormalizedJson,
} from "./json.ts";

const number = (text: string) => new JsonNumber(text);

/** The result of `JSON.parse`, with doubles. */
function toPlain(value: JsonValue): unknown {
  if (value instanceof JsonNumber) return value.toNumber();
  if (Array.isArray(value)) return value.map(toPlain);
  if (value instanceof Map)
    return Object.fromEntries([...value].map(([name, item]) => [name, toPlain(item)]));
  return value;
}

describe("parseJson", () => {
  test("accepts and rejects the same texts as JSON.parse", () => {
    fc.assert(
      fc.property(
        fc.json({ maxDepth: 5 }),
        fc.nat(),
        fc.constantFrom("", "x", ",", '"', "}", "0", " "),
        (text, at, extra) => {
          const cut = at % (text.length + 1);
          for (const candidate of [text, text.slice(0, cut), text.slice(0, cut) + extra + text.slice(cut)]) {
            let expected: unknown;
            try {
              expected = JSON.parse(candidate);
            } catch {
              expect(() => parseJson(candidate)).toThrow(JsonError);
              continue;
            }
            // Like JSON.parse, Object.fromEntries makes __proto__ an own member.
            expect(toPlain(parseJson(candidate))).toEqual(expected);
          }
        },
      ),
      { seed: 1, numRuns: 500 },
    );
  });

  test("keeps all digits", () => {
    const text = '{"a":[9223372036854775807,1.10,-0,1e400]}';
    expect(printJson(parseJson(text))).toBe(text);
  });

  test("takes the last value of a repeated member, in its first place", () => {
    expect(printJson(parseJson('{"b":1,"a":2,"b":3,"1":4,"__proto__":5}'))).toBe(
      '{"b":3,"a":2,"1":4,"__proto__":5}',
    );
  });

  test("limits the depth", () => {
    expect(parseJson("[".repeat(64) + "]".repeat(64))).toHaveLength(1);
    expect(() => parseJson("[".repeat(65) + "]".repeat(65))).toThrow(
      "nested deeper than 64 levels at position 64",
    );
    expect(() => parseJson("[[1]]", { maxDepth: 1 })).toThrow(JsonError);
    expect(() => parseJson("[".repeat(1_000_000))).toThrow(JsonError);
  });

  test("keeps a lone surrogate from an escape", () => {
    expect(parseJson('"a\\ud800b"')).toBe("a\ud800b");
  });
});

describe("JsonNumber", () => {
  test.each([
    ["1", 1n],
    ["1.0", 1n],
    ["1e3", 1000n],
    ["-12.50e1", -125n],
    ["-0", 0n],
    ["0e999999999999", 0n],
    ["9223372036854775807", INT64_MAX],
    ["-9223372036854775808", INT64_MIN],
    ["9223372036854775808", undefined],
    ["1.5", undefined],
    ["1e-1", undefined],
    ["1e19", undefined],
    ["1e999999999", undefined],
  ])("%s as a 64-bit integer is %s", (text, expected) => {
    expect(number(text).toInt64()).toBe(expected);
    if (expected !== undefined) expect(number(text).toBigInt()).toBe(expected);
  });

  test.each([
    ["9223372036854775808", INT64_MIN],
    ["1e30", 5_076_944_270_305_263_616n],
    ["1e400", 0n],
    ["-1.9", -1n],
    ["0.99", 0n],
    ["1e-999999999", 0n],
    ["123456789012345678901234567890.5", BigInt.asIntN(64, 123456789012345678901234567890n)],
    ["1.5e1", 15n],
  ])("%s wrapped to 64 bits is %s", (text, expected) =>
    expect(number(text).toInt64Wrapping()).toBe(expected),
  );

  test.each([
    ["1e400", "1E+400"],
    ["-1.50e400", "-1.5E+400"],
    ["100000000000000000000", "1E+20"],
    ["200000000000000000001", "200000000000000000001"],
    ["99999999999999999999", "99999999999999999999"],
    ["123456789012345678901.50", "123456789012345678901.5"],
    ["1e19", "10000000000000000000"],
    ["1.10", "1.1"],
    ["100.0", "100"],
    ["-0", "0"],
    ["0e999999999999", "0"],
    ["12.5e-3", "0.0125"],
    ["1.5e-10", "0.00000000015"],
    ["1e-10", "1E-10"],
    ["-25e-12", "-2.5E-11"],
    ["1e99999999999999999999", "1e99999999999999999999"],
  ])("%s is normalized to %s", (text, expected) => {
    expect(number(text).normalized().text).toBe(expected);
    expect(printNormalizedJson(parseJson(`{"a":[${text}]}`))).toBe(`{"a":[${expected}]}`);
  });

  test("knows whole numbers, and limits their digits", () => {
    expect(["1", "1.0", "1e9999", "0.0"].map((text) => number(text).isIntegral())).toEqual([
      true,
      true,
      true,
      true,
    ]);
    expect(["1.5", "1e-1"].map((text) => number(text).isIntegral())).toEqual([false, false]);
    expect(number("1e30").toBigInt()).toBe(10n ** 30n);
    expect(() => number("1.5").toBigInt()).toThrow(RangeError);
    expect(() => number("1e5000").toBigInt()).toThrow(RangeError);
  });
});

describe("printJson", () => {
  test("escapes like the protocol", () => {
    expect(printJson('"\\/\b\f\n\r\t\u001f\u0000é\u2028')).toBe(
      '"\\"\\\\/\\b\\f\\n\\r\\t\\u001F\\u0000é\u2028"',
    );
  });

  test("prints members in order without undefined ones", () => {
    const value: JsonOut = {
      z: 2n ** 63n,
      a: undefined,
      list: [1, -0, true, null, undefined, number("1.50")],
      map: new Map<string, JsonOut>([
        ["2", "x"],
        ["1", undefined],
      ]),
    };
    expect(printJson(value)).toBe(
      '{"z":9223372036854775808,"list":[1,0,true,null,null,1.50],"map":{"2":"x"}}',
    );
    expect(() => printJson(Number.NaN)).toThrow(RangeError);
  });

  test("round-trips", () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 5 }), (text) => {
        const value = parseJson(text);
        expect(parseJson(printJson(value))).toEqual(value);
      }),
      { seed: 1 },
    );
  });
});
