import { expect, test } from "vitest";
import { encodeBase58 } from "../../bytes/base58.ts";
import { formatPosition, parsePosition, startPosition } from "./position.ts";

const id = new Uint8Array(64).fill(200);
const text = encodeBase58(id);

test("formats height, sequence, block and offset as an id, and parses it back", () => {
  const position = { unit: { height: 7, sequence: 2, id }, offset: 31 };
  expect(formatPosition(position)).toBe(`7.2.${text}.31`);
  expect(parsePosition(formatPosition(position))).toEqual(position);
  expect(formatPosition(startPosition)).toBe("0");
  expect(parsePosition("0")).toBe(startPosition);
});

test.each([
  "",
  "1",
  "x",
  "00",
  `7.2.${text}`,
  `7.2.${text}.`,
  `7.2.${text}.-1`,
  `7.2.${text}.1.1`,
  `0.0.${text}.0`,
  `07.2.${text}.1`,
  `7.02.${text}.1`,
  `2147483648.2.${text}.1`,
  `7.2147483648.${text}.1`,
  `7.2.${text}.2147483648`,
  `7.2.${text.slice(0, -1)}0.1`,
  `7.2.${"z".repeat(88)}.1`,
  `7.2.${encodeBase58(id.subarray(1))}.1`,
  `7.2.${encodeBase58(new Uint8Array(65).fill(200))}.1`,
  ` 7.2.${text}.1`,
  `7.2.${text}.1 `,
  `7.2.${text}.1e1`,
])("rejects %s as an id", (wrong) => {
  expect(parsePosition(wrong)).toBeUndefined();
});
