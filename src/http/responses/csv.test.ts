import { expect, test } from "vitest";
import { csvField, csvLines } from "./csv.ts";

test("a line per row, with the named columns in order", () => {
  const rows = [
    { b: 2n, a: "x", other: "not shown" },
    { a: null, b: undefined },
  ];
  expect([...csvLines(["a", "b"], rows)].join("")).toBe("a,b\r\nx,2\r\n,\r\n");
});

test.each([
  ["a,b", '"a,b"'],
  ['say "yes"', '"say ""yes"""'],
  ["two\r\nlines", '"two\r\nlines"'],
  [" blank", '" blank"'],
  ["plain", "plain"],
  ["", ""],
])("%j is one field", (text, field) => expect(csvField(text)).toBe(field));

test.each(["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", '=HYPERLINK("http://x","y")'])(
  "a text never becomes a formula: %j",
  (text) => {
    const field = csvField(text).replace(/^"/, "");
    expect(field.startsWith("'")).toBe(true);
  },
);

test("lists and objects are JSON", () => {
  expect(csvField(["=1", 2n])).toBe('"[""=1"",2]"');
});

test("numbers keep their sign", () => {
  expect([csvField(-5n), csvField(-1.5), csvField(true)]).toEqual(["-5", "-1.5", "true"]);
});
