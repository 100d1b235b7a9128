import { HoconError, type Place } from "./values.ts";

const RESERVED = new Set(`$"{}[]:=,+#\`^?!@*&\\`);
const NUMBER = /-?[0-9][0-9eE+.-]*/y;
const BLANK = /[\p{Z}\t\v\f\r\ufeff]/u;
const ESCAPES = new Map(
  Object.entries({ b: "\b", f: "\f", n: "\n", r: "\r", t: "\t", "/": "/", "\\": "\\", '"': '"' }),
);

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

  peek(): string {
    return this.#text.charAt(this.#at);
  }

  isNext(text: string): boolean {
    return this.#text.startsWith(text, this.#at);
  }

  peekAhead(count: number): string {
    return this.#text.slice(this.#at, this.#at + count);
  }

  /** Consumes `text` if it is next, without counting lines. @returns true if it was next */
  take(text: string): boolean {
    if (!this.isNext(text)) return false;
    this.#at += text.length;
    return true;
  }

  takeBlanks(): string {
    const from = this.#at;
    while (BLANK.test(this.peek())) this.#at++;
    return this.#text.slice(from, this.#at);
  }

  isCommentNext(): boolean {
    return this.isNext("#") || this.isNext("//");
  }

  /**
   * Skips blanks, comments and line ends.
   * @returns true if it skipped a line end
   */
  skipGap(): boolean {
    const line = this.#line;
    for (;;) {
      this.takeBlanks();
      if (this.isCommentNext()) {
        const end = this.#text.indexOf("\n", this.#at);
        this.#at = end < 0 ? this.#text.length : end;
      } else if (this.take("\n")) this.#line++;
      else return this.#line > line;
    }
  }

  /**
   * Reads a number or unquoted text, possibly empty.
   * @param stop a further character that ends the word
   */
  takeWord(stop = ""): string {
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
        this.isNext("//")
      )
        return this.#text.slice(from, this.#at);
      this.#at++;
    }
  }

  takeQuoted(): string {
    if (this.take('"""')) return this.#takeRaw();
    this.take('"');
    let text = "";
    for (;;) {
      const next = this.peek();
      if (next === "" || next === "\n") return this.fail("unclosed quote");
      this.#at++;
      if (next === '"') return text;
      text += next === "\\" ? this.#takeEscape() : next;
    }
  }

  /** Reads raw text up to three quotes. Of more than three quotes, the last three end the text. */
  #takeRaw(): string {
    const from = this.#at;
    const end = this.#text.indexOf('"""', from);
    if (end < 0) return this.fail('unclosed three quotes (""")');
    this.#at = end + 3;
    while (this.take('"'));
    const text = this.#text.slice(from, this.#at - 3);
    this.#line += text.split("\n").length - 1;
    return text;
  }

  #takeEscape(): string {
    const letter = this.peek();
    this.#at++;
    if (letter === "u") {
      const digits = this.#text.slice(this.#at, this.#at + 4);
      if (!/^[0-9A-Fa-f]{4}$/.test(digits)) return this.fail("\\u needs four hexadecimal digits");
      this.#at += 4;
      return String.fromCharCode(Number.parseInt(digits, 16));
    }
    return ESCAPES.get(letter) ?? this.fail("invalid escape sequence in quotes");
  }
}
