import fc from "fast-check";
import { expect, test } from "vitest";
import { encodeUtf8 } from "../../bytes/utf8.ts";
import { decodePlain, encodePlain, PlainDataError } from "./plain-codec.ts";

const scalars = fc.oneof(
  fc.string(),
  fc.double(),
  fc.boolean(),
  fc.bigInt(),
  fc.uint8Array(),
  fc.constantFrom(null, undefined),
);
const { value: plain } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    scalars,
    fc.array(tie("value")),
    fc.dictionary(fc.string(), tie("value"), { noNullPrototype: true }),
    fc.array(fc.tuple(fc.string(), tie("value"))).map((entries) => new Map(entries)),
  ),
}));

test("plain data comes back as it was", () => {
  fc.assert(
    fc.property(plain, (value) => {
      expect(decodePlain(encodePlain(value))).toStrictEqual(value);
    }),
    { numRuns: 300 },
  );
});

test("a member called __proto__ is a member", () => {
  const value = JSON.parse('{"__proto__":{"remote":1}}');
  const decoded = decodePlain(encodePlain(value)) as object;
  expect(Object.keys(decoded)).toEqual(["__proto__"]);
  expect(Object.getPrototypeOf(decoded)).toBe(Object.prototype);
});

test.each([[() => 1], [Symbol("s")], [new Date(0)], [[new Set([1])]]])("refuses to encode %s", (value) => {
  expect(() => encodePlain(value)).toThrow(PlainDataError);
});

test.each([
  "",
  "{",
  "{}",
  "[]",
  '["x"]',
  '["n","1e3"]',
  '["n",5]',
  `["n","${"1".repeat(101)}"]`,
  '["o",["a"]]',
  '["o",[5,1]]',
  '["m",5]',
  '["l",{}]',
  `${'["l",'.repeat(40)}1${"]".repeat(40)}`,
])("refuses to decode %s", (text) => {
  expect(() => decodePlain(encodeUtf8(text))).toThrow(PlainDataError);
});

test("random bytes are decoded or refused", () => {
  fc.assert(
    fc.property(fc.oneof(fc.uint8Array(), fc.json().map(encodeUtf8)), (bytes) => {
      try {
        decodePlain(bytes);
      } catch (error) {
        expect(error).toBeInstanceOf(PlainDataError);
      }
    }),
    { numRuns: 300 },
  );
});
