/** Parses HOCON. The caller reads included files; resolve.ts resolves substitutions. */
import { Scanner } from "./scanner.ts";
import {
  addLayer,
  type Blank,
  type Expression,
  getOrCreateField,
  type ObjectExpression,
  type Place,
} from "./values.ts";

export interface Include {
  /** `plain`: `include "name"`; otherwise the function around the name. */
  readonly from: "plain" | "file" | "url" | "classpath";
  readonly name: string;
  readonly required: boolean;
  readonly place: Place;
}

interface ParseOptions {
  /** Path of the object that includes this text. */
  readonly prefix: readonly string[];
  /** Reads a file for the object at `path`. Returns undefined if the file is missing or ignored. */
  include(include: Include, path: readonly string[]): ObjectExpression | undefined;
}

/** Maximum nesting and path length. */
const MAX_DEPTH = 64;

/** @throws HoconError */
export function parseHocon(text: string, file: string, options: ParseOptions): ObjectExpression {
  return new Parser(text, file, options).parse();
}

class Parser {
  readonly #scanner: Scanner;
  readonly #options: ParseOptions;
  #depth = 0;

  constructor(text: string, file: string, options: ParseOptions) {
    this.#scanner = new Scanner(text, file);
    this.#options = options;
  }

  parse(): ObjectExpression {
    const scanner = this.#scanner;
    const root: ObjectExpression = { kind: "fields", fields: new Map(), place: scanner.place };
    scanner.skipGap();
    if (scanner.isNext("[")) return scanner.fail("expected names with values, found a list");
    const hasBraces = scanner.take("{");
    this.#parseMembers(root, [], hasBraces ? "}" : "");
    scanner.skipGap();
    return scanner.peek() === "" ? root : scanner.fail("text after the closing brace of the file");
  }

  /**
   * Parses members up to `end` (empty: the end of the text).
   * @param path path of `object`; undefined within a list
   */
  #parseMembers(object: ObjectExpression, path: readonly string[] | undefined, end: string): void {
    const scanner = this.#scanner;
    for (;;) {
      scanner.skipGap();
      if (scanner.peek() === "") {
        if (end !== "") scanner.fail("unclosed brace");
        return;
      }
      if (end !== "" && scanner.take(end)) return;
      const include = this.#parseInclude();
      if (include === undefined) this.#parseMember(object, path);
      else this.#addIncluded(object, path, include);
      this.#parseSeparator(end, "expected a line end or a comma after the value");
    }
  }

  #parseSeparator(end: string, error: string): void {
    const scanner = this.#scanner;
    const newLine = scanner.skipGap();
    if (!scanner.take(",") && !newLine && scanner.peek() !== "" && (end === "" || !scanner.isNext(end)))
      scanner.fail(error);
  }

  #parseMember(object: ObjectExpression, path: readonly string[] | undefined): void {
    const scanner = this.#scanner;
    const names = this.#parsePath();
    scanner.skipGap();
    const fullPath = path === undefined ? undefined : [...path, ...names];
    const { place } = scanner;
    if ((fullPath ?? names).length > MAX_DEPTH) scanner.fail(`a name has more than ${MAX_DEPTH} parts`);
    let value: Expression;
    if (scanner.take("+=")) {
      // `a += b` means `a = ${?a} [b]`.
      const ownPath = fullPath ?? scanner.fail("+= is not allowed within a list");
      const earlierItems: Expression = {
        kind: "reference",
        path: ownPath,
        prefix: this.#options.prefix,
        optional: true,
        place,
      };
      value = {
        kind: "parts",
        parts: [earlierItems, { kind: "items", items: [this.#parseValue(undefined)], place }],
        place,
      };
    } else {
      if (!scanner.take("=") && !scanner.take(":") && !scanner.isNext("{"))
        scanner.fail("expected =, : or { after a name");
      value = this.#parseValue(fullPath);
    }
    let target = object;
    for (const name of names.slice(0, -1)) {
      const inner: ObjectExpression = { kind: "fields", fields: new Map(), place };
      const field = getOrCreateField(target, name);
      addLayer(field, inner);
      const last = field.layers.at(-1);
      target = last?.kind === "fields" ? last : inner;
    }
    addLayer(getOrCreateField(target, names[names.length - 1]), value);
  }

  /** Parses names separated by dots. A quoted dot is part of a name. */
  #parsePath(): readonly string[] {
    const scanner = this.#scanner;
    const names: string[] = [];
    let name: string | undefined;
    let blanks = "";
    for (;;) {
      if (scanner.take(".")) {
        if (name === undefined) return scanner.fail("empty name");
        names.push(name);
        name = undefined;
        blanks = "";
      } else if (scanner.isNext('"'))
        name = `${name === undefined ? "" : name + blanks}${scanner.takeQuoted()}`;
      else {
        const word = scanner.takeWord(".");
        if (word === "") break;
        name = `${name === undefined ? "" : name + blanks}${word}`;
      }
      const more = scanner.takeBlanks();
      if (name !== undefined || names.length > 0) blanks = more;
    }
    if (name === undefined) return scanner.fail(names.length === 0 ? "expected a name" : "empty name");
    return [...names, name];
  }

  #parseValue(path: readonly string[] | undefined): Expression {
    const scanner = this.#scanner;
    scanner.skipGap();
    const { place } = scanner;
    const parts: (Expression | Blank)[] = [];
    for (let blanks = ""; ; blanks = scanner.takeBlanks()) {
      const part = this.#parsePart(path);
      if (part === undefined) break;
      if (blanks !== "") parts.push({ kind: "blank", text: blanks });
      parts.push(part);
    }
    if (parts.length === 0)
      return scanner.fail(
        scanner.peek() === "" || scanner.isNext("}") || scanner.isNext(",") || scanner.isNext("]")
          ? "missing value"
          : `${scanner.peek()} must be quoted`,
      );
    const [first] = parts;
    return parts.length === 1 && first.kind !== "blank" ? first : { kind: "parts", parts, place };
  }

  #parsePart(path: readonly string[] | undefined): Expression | undefined {
    const scanner = this.#scanner;
    const { place } = scanner;
    if (scanner.take("{")) {
      const object: ObjectExpression = { kind: "fields", fields: new Map(), place };
      this.#countDepth(() => this.#parseMembers(object, path, "}"));
      return object;
    }
    if (scanner.take("[")) return { kind: "items", items: this.#countDepth(() => this.#parseItems()), place };
    if (scanner.take("${")) return this.#parseReference(place);
    if (scanner.isNext('"')) return { kind: "scalar", text: scanner.takeQuoted(), quoted: true, place };
    const text = scanner.takeWord();
    return text === "" ? undefined : { kind: "scalar", text, quoted: false, place };
  }

  #parseItems(): readonly Expression[] {
    const scanner = this.#scanner;
    const items: Expression[] = [];
    for (;;) {
      scanner.skipGap();
      if (scanner.take("]")) return items;
      if (scanner.peek() === "") return scanner.fail("unclosed bracket");
      items.push(this.#parseValue(undefined));
      this.#parseSeparator("]", "expected a line end or a comma after the item");
    }
  }

  #parseReference(place: Place): Expression {
    const scanner = this.#scanner;
    const optional = scanner.take("?");
    scanner.takeBlanks();
    const path = this.#parsePath();
    if (!scanner.take("}")) scanner.fail("expected a brace at the end of the substitution");
    return { kind: "reference", path, prefix: this.#options.prefix, optional, place };
  }

  /** Parses an include, such as `include required(file("x"))`. */
  #parseInclude(): Include | undefined {
    const scanner = this.#scanner;
    const { place } = scanner;
    if (!/^include[ \t]+("|required\(|file\(|url\(|classpath\()/.test(scanner.peekAhead(80)))
      return undefined;
    scanner.take("include");
    scanner.takeBlanks();
    const required = scanner.take("required(");
    scanner.takeBlanks();
    const from = (["file", "url", "classpath"] as const).find((word) => scanner.take(`${word}(`)) ?? "plain";
    scanner.takeBlanks();
    if (!scanner.isNext('"')) return scanner.fail("the included name must be quoted");
    const name = scanner.takeQuoted();
    for (let unclosed = Number(required) + Number(from !== "plain"); unclosed > 0; unclosed--) {
      scanner.takeBlanks();
      if (!scanner.take(")")) return scanner.fail("unclosed bracket of the include");
    }
    return { from, name, required, place };
  }

  #addIncluded(object: ObjectExpression, path: readonly string[] | undefined, include: Include): void {
    const included = this.#options.include(include, [...this.#options.prefix, ...(path ?? [])]);
    for (const [name, { layers }] of included?.fields ?? [])
      for (const layer of layers) addLayer(getOrCreateField(object, name), layer);
  }

  #countDepth<T>(read: () => T): T {
    if (++this.#depth > MAX_DEPTH)
      this.#scanner.fail(`objects and lists are nested more than ${MAX_DEPTH} deep`);
    const result = read();
    this.#depth--;
    return result;
  }
}
