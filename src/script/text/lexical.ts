/** Page 08 §3.1, §3.3. */
import { bytesLiteral, numberLiteral, stringLiteral } from "./literals.ts";
import {
  capture,
  cut,
  literal,
  lookahead,
  map,
  mark,
  not,
  type Parser,
  type Silent,
  scan,
  sequence,
  space,
} from "./peg.ts";
import type { Node, Part, Position } from "./syntax.ts";

const KEYWORDS = ["let", "base58", "base64", "true", "false", "if", "then", "else", "match", "case"];

export function span(start: number, end = start): Position {
  return { start, end };
}

export function invalidNode(message: string, start: number, end = start): Node {
  return { kind: "invalid", message, position: span(start, end) };
}

export const digit: Parser<Silent> = scan(/[0-9]/y, "digit");
/** Must succeed after the words `if`, `then`, `else`, `match` and `case`. Consumes nothing. */
export const wordBoundary: Parser<Silent> = lookahead(scan(/[ \t\r\n({]/y, "border"));

/** Consumes no white space after the last comment. */
export const comments: Parser<Silent> = scan(/(?:#[^\n]*(?:[ \t\r\n]*#[^\n]*)*)?/y, "comment");
export const gap: readonly [typeof space, Parser<Silent>, typeof space] = [space, comments, space];

export const untilArrow: Parser<Position> = map(
  sequence(mark, scan(/(?:(?!=>)[\s\S])*/y, "any"), mark),
  ([start, end]) => span(start, end),
);

export const unparsableLine: Parser<Node> = map(
  sequence(mark, scan(/[^\n]+/y, "invalid"), mark),
  ([start, end]) => invalidNode("can't parse the expression", start, end),
);

export const name: Parser<Part<string>> = map(
  sequence(mark, capture(/[A-Za-z][A-Za-z0-9]*/y, "name"), mark),
  ([start, value, end]): Part<string> =>
    KEYWORDS.includes(value)
      ? { position: span(start, end), invalid: `keywords are restricted: ${value}` }
      : { position: span(start, end), value },
);

export const reference: Parser<string> = capture(
  new RegExp(`(?!(?:${KEYWORDS.join("|")})(?![A-Za-z0-9]))[A-Za-z][A-Za-z0-9]*`, "y"),
  "name",
);

export const number: Parser<Node> = map(
  sequence(mark, capture(/[+-]?[0-9]+(?:_[0-9]+)*/y, "number"), mark),
  ([start, text, end]): Node => ({ kind: "long", value: numberLiteral(text), position: span(start, end) }),
);

export const byteLiteral: Parser<Node> = map(
  sequence(
    mark,
    literal("base"),
    capture(/58|64/y, "format"),
    literal("'"),
    cut,
    capture(/[^']*/y, "content"),
    literal("'"),
    mark,
  ),
  ([start, format, content, end]): Node => ({
    kind: "bytes",
    // The position begins one UTF-16 unit too late, as in the reference.
    part: bytesLiteral(format === "58" ? "58" : "64", content, span(start + 8, end - 1)),
    position: span(start, end),
  }),
);

export const string: Parser<Node> = map(
  sequence(mark, literal('"'), cut, capture(/(?:\\[\s\S]|[^"])*/y, "content"), literal('"'), mark),
  ([start, content, end]): Node => ({
    kind: "string",
    part: stringLiteral(content, span(start + 1, end - 1)),
    position: span(start, end),
  }),
);

export function booleanLiteral(value: boolean): Parser<Node> {
  return map(
    sequence(mark, literal(String(value)), not(scan(/[A-Za-z0-9]/y, "letter or digit")), mark),
    ([start, end]): Node => ({ kind: "boolean", value, position: span(start, end) }),
  );
}

/** Consumes no white space after the last line end. */
export const newLines: Parser<Silent> = scan(/(?:[ \t\r]*\n)+/y, "new line");

export const restOfLine: Parser<Silent> = scan(/[^\n]*/y, "line");

export const endOfText: Parser<Silent> = scan(/$/y, "End");

/** Must succeed after the word `let`. Consumes nothing. */
export const spaceAhead: Parser<Silent> = lookahead(scan(/[ \t\r\n]/y, "space"));
