/** Characters of a HOCON text: blanks, comments, quotes, words. What they make together is parser.ts. */
import { HoconError, type Place } from "./values.ts";

/** What cannot stand in a text without quotes. */
const RESERVED = new Set(`$"{}[]:=,+#\`^?!@*&\\`);
const NUMBER = /-?[0-9][0-9eE+.-]*/y;
const BLANK = /[\p{Z}\t\v\f\r\ufeff]/u;
const ESCAPES = new Map(
  Object.entries({ b: "\b", f: "\f", n: "\n", r: "\r", t: "\t", "/": "/", "\\": "\\", '"': '"' }),
);

/** Reads through one text, front to back. */
export class Scanner {
  readonly #text: string;
  readonly #file: string;
  #at = 0;
  #line = 1;

  constructor(text: string, file: string) {
    this.#text = text;
    this.#file = file;
  }

  get place(): Place {
    return { file: this.#file, line: this.#line };
  }

  fail(reason: string): never {
    throw new HoconError(this.place, reason);
  }

  /** The next character; "" at the end. */
  peek(): string {
    return this.#text.charAt(this.#at);
  }

  /** Whether this stands next. */
  sees(text: string): boolean {
    return this.#text.startsWith(text, this.#at);
  }

  /** What stands next, so many characters of it at most. */
  ahead(count: number): string {
    return this.#text.slice(this.#at, this.#at + count);
  }

  /** Passes over this text, when it stands next. It has no line end. */
  take(text: string): boolean {
    if (!this.sees(text)) return false;
    this.#at += text.length;
    return true;
  }

  /** Passes over blanks of the line. @returns them */
  blanks(): string {
    const from = this.#at;
    while (BLANK.test(this.peek())) this.#at++;
    return this.#text.slice(from, this.#at);
  }

  /** Whether a comment begins here. */
  seesComment(): boolean {
    return this.sees("#") || this.sees("//");
  }

  /** Passes over blanks, comments and line ends. @returns whether there was a line end */
  gap(): boolean {
    const line = this.#line;
    for (;;) {
      this.blanks();
      if (this.seesComment()) {
        const end = this.#text.indexOf("\n", this.#at);
        this.#at = end < 0 ? this.#text.length : end;
      } else if (this.take("\n")) this.#line++;
      else return this.#line > line;
    }
  }

  /** A number or a text without quotes; "" where none begins. @param stop a character that ends it too */
  word(stop = ""): string {
    const from = this.#at;
    if (stop === "") {
      NUMBER.lastIndex = from;
      this.#at += NUMBER.exec(this.#text)?.[0].length ?? 0;
    }
    for (;;) {
      const next = this.peek();
      if (
        next === "" ||
        next === "\n" ||
        next === stop ||
        RESERVED.has(next) ||
        BLANK.test(next) ||
        this.sees("//")
      )
        return this.#text.slice(from, this.#at);
      this.#at++;
    }
  }

  /** The text between quotes, of either kind; the quote stands next. */
  quoted(): string {
    if (this.take('"""')) return this.#raw();
    this.take('"');
    let text = "";
    for (;;) {
      const next = this.peek();
      if (next === "" || next === "\n") return this.fail("a quote is not closed on its line");
      this.#at++;
      if (next === '"') return text;
      text += next === "\\" ? this.#escape() : next;
    }
  }

  /** All up to three quotes; further quotes belong to the text. */
  #raw(): string {
    const from = this.#at;
    const end = this.#text.indexOf('"""', from);
    if (end < 0) return this.fail('three quotes (""") are not closed');
    this.#at = end + 3;
    while (this.take('"'));
    const text = this.#text.slice(from, this.#at - 3);
    this.#line += text.split("\n").length - 1;
    return text;
  }

  #escape(): string {
    const letter = this.peek();
    this.#at++;
    if (letter === "u") {
      const digits = this.#text.slice(this.#at, this.#at + 4);
      if (!/^[0-9A-Fa-f]{4}$/.test(digits)) return this.fail("\\u needs four hexadecimal digits");
      this.#at += 4;
      return String.fromCharCode(Number.parseInt(digits, 16));
    }
    return (
      ESCAPES.get(letter) ?? this.fail("a backslash in quotes is followed by no letter that it can have")
    );
  }
}
