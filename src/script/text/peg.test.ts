import { describe, expect, it } from "vitest";
import {
  capture,
  choice,
  cut,
  literal,
  lookahead,
  map,
  mark,
  nocut,
  not,
  optional,
  type Parser,
  parse,
  repeat,
  sequence,
  space,
} from "./peg.ts";

const word = (text: string) =>
  capture((source, index) => (source.startsWith(text, index) ? index + text.length : -1), text);
const a = word("a");
const b = word("b");
const c = word("c");

function value<T>(rule: Parser<T>, text: string): T | string {
  const result = parse(rule, text);
  return result.ok ? result.value : `${result.label} at ${result.index}`;
}

describe("white space", () => {
  it("is not consumed before an empty item, except at the end of the text", () => {
    const rule = sequence(a, space, optional(b), mark);
    expect(value(rule, "a  c")).toEqual(["a", undefined, 1]);
    expect(value(rule, "a  ")).toEqual(["a", undefined, 3]);
    expect(value(rule, "a  b")).toEqual(["a", "b", 4]);
  });

  it("is skipped before a mark, which sees the position after it", () => {
    expect(value(sequence(a, space, mark, mark), "a  c")).toEqual(["a", 3, 1]);
  });

  it("is allowed between items of a spaced repetition, not after the last", () => {
    expect(value(sequence(repeat(a, { spaced: true }), mark), "a \n a  c")).toEqual([["a", "a"], 4 + 1]);
    const list = sequence(repeat(a, { spaced: true, separator: literal(",") }), mark);
    expect(value(list, "a , a ,c")).toEqual([["a", "a"], 5]);
    expect(value(list, "c")).toEqual([[], 0]);
  });
});

describe("cuts", () => {
  const committed = sequence(a, cut, b);

  it("prevent other alternatives", () => {
    expect(value(choice("x", committed, a), "ac")).toBe("b at 1");
    expect(value(choice("x", sequence(a, b), a), "ac")).toBe("a");
    expect(value(optional(committed), "ac")).toBe("b at 1");
    expect(value(repeat(committed), "abac")).toBe("b at 3");
  });

  it("are passed on by a successful item", () => {
    expect(value(choice("x", sequence(sequence(a, cut), b), a), "ac")).toBe("b at 1");
    expect(value(choice("x", sequence(repeat(sequence(a, cut)), b), a), "ac")).toBe("b at 1");
    // In a repetition only the last item counts.
    const mixed = repeat(choice("i", sequence(a, cut), sequence(b)));
    expect(value(choice("x", sequence(mixed, literal("!")), a), "abc")).toBe("a");
  });

  it("are forgotten by nocut and lookahead", () => {
    expect(value(choice("x", nocut(committed), a), "ac")).toBe("a");
    expect(value(choice("x", sequence(nocut(sequence(a, cut)), b), a), "ac")).toBe("a");
    const look = lookahead(map(committed, () => undefined as never));
    expect(value(choice("x", sequence(look, a), c), "c")).toBe("c");
  });
});

describe("failures", () => {
  it("name the part that failed, or the choice if all its options failed", () => {
    expect(value(sequence(a, choice("b or c", b, c)), "aa")).toBe("b or c at 1");
    expect(value(sequence(a, not(literal("b"))), "ab")).toBe("not at 1");
    expect(value(repeat(a, { min: 1 }), "b")).toBe("a at 0");
    expect(value(literal('"'), "x")).toBe('"\\"" at 0');
  });
});
