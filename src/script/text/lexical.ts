/** The characters, words and literals of the language. Page 08 §3.1, §3.3. */
import { bytesLiteral, numberLiteral, stringLiteral } from "./literals.ts";
import {
  capture,
  cut,
  isSpace,
  literal,
  lookahead,
  map,
  mark,
  not,
  type Parser,
  type Silent,
  scan,
  sequence,
} from "./peg.ts";
import type { Node, Part, Position } from "./syntax.ts";

const KEYWORDS: ReadonlySet<string> = new Set([
  "let",
  "base58",
  "base64",
  "true",
  "false",
  "if",
  "then",
  "else",
  "match",
  "case",
]);

export function span(start: number, end = start): Position {
  return { start, end };
}

export function invalidNode(message: string, start: number, end = start): Node {
  return { kind: "invalid", message, position: span(start, end) };
}

function isLetter(code: number): boolean {
  return (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a);
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

function isAlphanumeric(code: number): boolean {
  return isLetter(code) || isDigit(code);
}

/** The index behind all code units from `index` on that the test accepts. */
function skipWhile(text: string, index: number, test: (code: number) => boolean): number {
  let end = index;
  while (end < text.length && test(text.charCodeAt(end))) end++;
  return end;
}

function one(test: (code: number) => boolean, label: string): Parser<Silent> {
  return scan((text, index) => (index < text.length && test(text.charCodeAt(index)) ? index + 1 : -1), label);
}

export const digit: Parser<Silent> = one(isDigit, "digit");
const alphanumeric = one(isAlphanumeric, "letter or digit");
/** What must follow the words `if`, `then`, `else`, `match` and `case`. */
export const wordBoundary: Parser<Silent> = lookahead(
  one((code) => isSpace(code) || code === 0x28 || code === 0x7b, "border"),
);

function lineEnd(text: string, index: number): number {
  const end = text.indexOf("\n", index);
  return end < 0 ? text.length : end;
}

/** Any number of comments; white space may stand between them, and is left behind the last. */
export const comments: Parser<Silent> = scan((text, index) => {
  let end = index;
  for (let next = index; text[next] === "#"; next = skipWhile(text, end, isSpace)) end = lineEnd(text, next);
  return end;
}, "comment");

/** Everything before the next `=>`. */
export const untilArrow = map(
  sequence(
    mark,
    scan((text, index) => {
      const arrow = text.indexOf("=>", index);
      return arrow < 0 ? text.length : arrow;
    }, "any"),
    mark,
  ),
  ([start, end]) => span(start, end),
);

/** The rest of a line that is no expression. */
export const unparsableLine = map(
  sequence(
    mark,
    scan((text, index) => (lineEnd(text, index) > index ? lineEnd(text, index) : -1), "invalid"),
    mark,
  ),
  ([start, end]) => invalidNode("can't parse the expression", start, end),
);

const nameText = capture(
  (text, index) =>
    index < text.length && isLetter(text.charCodeAt(index)) ? skipWhile(text, index, isAlphanumeric) : -1,
  "name",
);

export const name: Parser<Part<string>> = map(
  sequence(mark, nameText, mark),
  ([start, value, end]): Part<string> =>
    KEYWORDS.has(value)
      ? { position: span(start, end), invalid: `keywords are restricted: ${value}` }
      : { position: span(start, end), value },
);

/** A name that is no keyword. */
export const reference = capture((text, index) => {
  const end = isLetter(text.charCodeAt(index)) ? skipWhile(text, index, isAlphanumeric) : -1;
  return end < 0 || KEYWORDS.has(text.slice(index, end)) ? -1 : end;
}, "name");

export const number: Parser<Node> = map(
  sequence(
    mark,
    capture((text, index) => {
      const sign = text[index] === "-" || text[index] === "+" ? 1 : 0;
      let end = skipWhile(text, index + sign, isDigit);
      if (end === index + sign) return -1;
      while (text[end] === "_") {
        const next = skipWhile(text, end + 1, isDigit);
        if (next === end + 1) break;
        end = next;
      }
      return end;
    }, "number"),
    mark,
  ),
  ([start, text, end]): Node => ({ kind: "long", value: numberLiteral(text), position: span(start, end) }),
);

export const byteLiteral: Parser<Node> = map(
  sequence(
    mark,
    literal("base"),
    capture((text, index) => (/^(58|64)$/.test(text.slice(index, index + 2)) ? index + 2 : -1), "format"),
    literal("'"),
    cut,
    capture((text, index) => {
      const end = text.indexOf("'", index);
      return end < 0 ? text.length : end;
    }, "content"),
    literal("'"),
    mark,
  ),
  ([start, format, content, end]): Node => ({
    kind: "bytes",
    // One more than where the content begins, as the reference has it.
    part: bytesLiteral(format === "58" ? "58" : "64", content, span(start + 8, end - 1)),
    position: span(start, end),
  }),
);

/** Where a string that begins at `index` ends: before a quote that no backslash precedes, or with the text. */
function stringEnd(text: string, index: number): number {
  let end = index;
  // A `\u` takes letters and digits, never a quote, so that it needs no case of its own.
  while (end < text.length && text[end] !== '"') end += text[end] === "\\" && end + 1 < text.length ? 2 : 1;
  return end;
}

export const string: Parser<Node> = map(
  sequence(mark, literal('"'), cut, capture(stringEnd, "content"), literal('"'), mark),
  ([start, content, end]): Node => ({
    kind: "string",
    part: stringLiteral(content, span(start + 1, end - 1)),
    position: span(start, end),
  }),
);

export function booleanLiteral(word: string, value: boolean): Parser<Node> {
  return map(
    sequence(mark, literal(word), not(alphanumeric), mark),
    ([start, end]): Node => ({ kind: "boolean", value, position: span(start, end) }),
  );
}

/** One or more line ends with white space among them; what follows the last is left. */
export const newLines: Parser<Silent> = scan((text, index) => {
  let end = -1;
  for (let next = index; ; next = end) {
    next = skipWhile(text, next, (code) => code !== 0x0a && isSpace(code));
    if (text[next] !== "\n") return end;
    end = next + 1;
  }
}, "new line");

/** Everything up to the end of the line. */
export const restOfLine: Parser<Silent> = scan(lineEnd, "line");

export const endOfText: Parser<Silent> = scan((text, index) => (index === text.length ? index : -1), "End");

/** What must follow the word `let`. */
export const spaceAhead: Parser<Silent> = lookahead(one(isSpace, "space"));
