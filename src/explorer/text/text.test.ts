import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { durationText } from "../../bytes/durations.ts";
import { tokenText } from "../../bytes/tokens.ts";
import { AmountError, parseTokens } from "./amounts.ts";
import {
  ageText,
  countText,
  displayText,
  fill,
  isoText,
  revealInvisible,
  sizeText,
  timeText,
  truncate,
} from "./text.ts";

describe("an amount", () => {
  test("is the same after formatting and parsing", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }), (units) => {
        expect(parseTokens(tokenText(units))).toBe(units);
      }),
    );
  });

  test.each([
    ["1", 100_000_000n],
    [" 1,250.5 ", 125_050_000_000n],
    ["1 250.", 125_000_000_000n],
    ["0.00000001", 1n],
    ["92233720368.54775807", 2n ** 63n - 1n],
    ["1.500000000000", 150_000_000n],
  ])("is parsed from '%s'", (text, units) => expect(parseTokens(text)).toBe(units));

  test.each([
    "",
    "-1",
    "1,5",
    "1e3",
    ".5",
    "1.2.3",
    "0.000000001",
    "92233720368.54775808",
    "１",
    "x",
    "1".repeat(61),
  ])("is rejected: '%s'", (text) => expect(() => parseTokens(text)).toThrow(AmountError));
});

test("fills slots by name, and leaves unknown ones empty", () => {
  expect(fill("{a} and {b}{c}.", { a: "one", b: 2 })).toEqual(["", "one", " and ", 2, "", undefined, "."]);
});

test("durations have two units at most", () => {
  expect(
    [0, 999, 1_000, 61_000, 3_600_000, 7_500_000, 90_000_000, 200 * 86_400_000].map(durationText),
  ).toEqual(["0 s", "0 s", "1 s", "1 min 1 s", "1 h", "2 h 5 min", "1 d 1 h", "200 d"]);
  expect([-5, Number.NaN, Number.POSITIVE_INFINITY].map(durationText)).toEqual(["0 s", "0 s", "0 s"]);
});

test("ages tell past from future", () => {
  expect(ageText(0, 500)).toBe("just now");
  expect(ageText(0, 12_000)).toBe("12 s ago");
  expect(ageText(12_000, 0)).toBe("in 12 s");
});

test("times out of range are shown as numbers", () => {
  expect(isoText(1_795_292_997_921n)).toBe("2026-11-21T20:29:57.921Z");
  expect(isoText(2n ** 63n - 1n)).toBeUndefined();
  expect(timeText(2n ** 63n - 1n)).toBe("9223372036854775807 ms");
  expect(timeText(-(2n ** 63n))).toBe("-9223372036854775808 ms");
  expect(timeText(1_795_292_997_921n)).toContain("Nov 2026");
});

test("formats sizes and counts", () => {
  expect([0, 1, 999, 1_000, 1_449, 99_949, 99_950, 999_499, 999_500, 1_234_567, 5e15].map(sizeText)).toEqual([
    "0 bytes",
    "1 byte",
    "999 bytes",
    "1.0 kB",
    "1.4 kB",
    "99.9 kB",
    "100 kB",
    "999 kB",
    "1.0 MB",
    "1.2 MB",
    "5000 TB",
  ]);
  expect(countText(1, "block")).toBe("1 block");
  expect(countText(12_345n, "block")).toBe("12,345 blocks");
  expect(countText(0, "entry", "entries")).toBe("0 entries");
});

describe("an untrusted text", () => {
  test("shows invisible characters by name and keeps the others", () => {
    expect(revealInvisible("a\u202eb\u0000\u200b\ufeff<b>\n\t\ud800é👍")).toBe(
      "a⟨U+202E⟩b⟨U+0000⟩⟨U+200B⟩⟨U+FEFF⟩<b>\n\t⟨U+D800⟩é👍",
    );
    expect(revealInvisible("👩‍👧 ❤️ a‍b")).toBe("👩‍👧 ❤️ a⟨U+200D⟩b");
    // Tag characters, which some programs treat as instructions.
    expect(revealInvisible("\u{e0041}")).toBe("⟨U+E0041⟩");
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const shown = revealInvisible(text);
        expect(revealInvisible(shown)).toBe(shown);
        expect(shown).not.toMatch(/[\u202a-\u202e\u2066-\u2069\u200e\u200f]/);
      }),
    );
  });

  test("is truncated between characters, and loses stacked marks", () => {
    expect(truncate("a👍b", 2)).toBe("a");
    expect(truncate("a👍b", 3)).toBe("a👍");
    expect(truncate("abc", 3)).toBe("abc");
    expect(displayText(`z${"\u0301".repeat(50)}`)).toBe(`z${"\u0301".repeat(4)}`);
  });
});
