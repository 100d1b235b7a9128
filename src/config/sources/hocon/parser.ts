/** Parses HOCON. The caller reads included files; resolve.ts resolves substitutions. */
import { Scanner } from "./scanner.ts";
import {
  addLayer,
  type Blank,
  type Expression,
  fieldOf,
  type ObjectExpression,
  type Place,
} from "./values.ts";

export interface Include {
  /** `plain`: a quoted name without a function. */
  readonly from: "plain" | "file" | "url" | "classpath";
  readonly name: string;
  readonly required: boolean;
  readonly place: Place;
}

interface ParseOptions {
  /** Path of the object that includes this text. */
  readonly prefix: readonly string[];
  /** Reads an included file for the object at `path`; undefined if it is missing or ignored. */
  include(include: Include, path: readonly string[]): ObjectExpression | undefined;
}

/** Maximum nesting, and parts of a path. */
const MAX_DEPTH = 64;

/** @throws HoconError */
export function parseHocon(text: string, file: string, options: ParseOptions): ObjectExpression {
  return new Parser(text, file, options).parse();
}

class Parser {
  readonly #scan: Scanner;
  readonly #options: ParseOptions;
  #depth = 0;

  constructor(text: string, file: string, options: ParseOptions) {
    this.#scan = new Scanner(text, file);
    this.#options = options;
  }

  parse(): ObjectExpression {
    const scan = this.#scan;
    const root: ObjectExpression = { kind: "fields", fields: new Map(), place: scan.place };
    scan.skipGap();
    if (scan.isNext("[")) return scan.fail("expected names with values, found a list");
    const hasBraces = scan.take("{");
    this.#parseMembers(root, [], hasBraces ? "}" : "");
    scan.skipGap();
    return scan.peek() === "" ? root : scan.fail("text after the closing brace of the file");
  }

  /**
   * Stops at `end` or the end of the text.
   * @param path path of the object; undefined within a list
   */
  #parseMembers(object: ObjectExpression, path: readonly string[] | undefined, end: string): void {
    const scan = this.#scan;
    for (;;) {
      scan.skipGap();
      if (scan.peek() === "") {
        if (end !== "") scan.fail("unclosed brace");
        return;
      }
      if (end !== "" && scan.take(end)) return;
      const include = this.#parseInclude();
      if (include === undefined) this.#parseMember(object, path);
      else this.#addIncluded(object, path, include);
      this.#parseSeparator(end, "expected a line end or a comma after the value");
    }
  }

  #parseSeparator(end: string, error: string): void {
    const scan = this.#scan;
    const newLine = scan.skipGap();
    if (!scan.take(",") && !newLine && scan.peek() !== "" && (end === "" || !scan.isNext(end)))
      scan.fail(error);
  }

  #parseMember(object: ObjectExpression, path: readonly string[] | undefined): void {
    const scan = this.#scan;
    const names = this.#parsePath();
    scan.skipGap();
    const fullPath = path === undefined ? undefined : [...path, ...names];
    const { place } = scan;
    if ((fullPath ?? names).length > MAX_DEPTH) scan.fail(`a name has more than ${MAX_DEPTH} parts`);
    let value: Expression;
    if (scan.take("+=")) {
      const ownPath = fullPath ?? scan.fail("+= is not allowed within a list");
      const before: Expression = {
        kind: "reference",
        path: ownPath,
        prefix: this.#options.prefix,
        optional: true,
        place,
      };
      value = {
        kind: "parts",
        parts: [before, { kind: "items", items: [this.#parseValue(undefined)], place }],
        place,
      };
    } else {
      if (!scan.take("=") && !scan.take(":") && !scan.isNext("{"))
        scan.fail("expected =, : or { after a name");
      value = this.#parseValue(fullPath);
    }
    let target = object;
    for (const name of names.slice(0, -1)) {
      const inner: ObjectExpression = { kind: "fields", fields: new Map(), place };
      const field = fieldOf(target, name);
      addLayer(field, inner);
      const last = field.layers.at(-1);
      target = last?.kind === "fields" ? last : inner;
    }
    addLayer(fieldOf(target, names[names.length - 1]), value);
  }

  /** Parses names separated by dots, except dots in quotes. */
  #parsePath(): readonly string[] {
    const scan = this.#scan;
    const names: string[] = [];
    let name: string | undefined;
    let blanks = "";
    for (;;) {
      if (scan.take(".")) {
        if (name === undefined) return scan.fail("empty name");
        names.push(name);
        name = undefined;
        blanks = "";
      } else if (scan.isNext('"')) name = `${name === undefined ? "" : name + blanks}${scan.takeQuoted()}`;
      else {
        const word = scan.takeWord(".");
        if (word === "") break;
        name = `${name === undefined ? "" : name + blanks}${word}`;
      }
      const more = scan.takeBlanks();
      if (name !== undefined || names.length > 0) blanks = more;
    }
    if (name === undefined) return scan.fail(names.length === 0 ? "expected a name" : "empty name");
    return [...names, name];
  }

  #parseValue(path: readonly string[] | undefined): Expression {
    const scan = this.#scan;
    scan.skipGap();
    const { place } = scan;
    const parts: (Expression | Blank)[] = [];
    for (let blanks = ""; ; blanks = scan.takeBlanks()) {
      const part = this.#parsePart(path);
      if (part === undefined) break;
      if (blanks !== "") parts.push({ kind: "blank", text: blanks });
      parts.push(part);
    }
    if (parts.length === 0)
      return scan.fail(
        scan.peek() === "" || scan.isNext("}") || scan.isNext(",") || scan.isNext("]")
          ? "missing value"
          : `${scan.peek()} must be quoted`,
      );
    const [first] = parts;
    return parts.length === 1 && first.kind !== "blank" ? first : { kind: "parts", parts, place };
  }

  #parsePart(path: readonly string[] | undefined): Expression | undefined {
    const scan = this.#scan;
    const { place } = scan;
    if (scan.take("{")) {
      const object: ObjectExpression = { kind: "fields", fields: new Map(), place };
      this.#nested(() => this.#parseMembers(object, path, "}"));
      return object;
    }
    if (scan.take("[")) return { kind: "items", items: this.#nested(() => this.#parseItems()), place };
    if (scan.take("${")) return this.#parseReference(place);
    if (scan.isNext('"')) return { kind: "scalar", text: scan.takeQuoted(), quoted: true, place };
    const text = scan.takeWord();
    return text === "" ? undefined : { kind: "scalar", text, quoted: false, place };
  }

  #parseItems(): readonly Expression[] {
    const scan = this.#scan;
    const items: Expression[] = [];
    for (;;) {
      scan.skipGap();
      if (scan.take("]")) return items;
      if (scan.peek() === "") return scan.fail("unclosed bracket");
      items.push(this.#parseValue(undefined));
      this.#parseSeparator("]", "expected a line end or a comma after the item");
    }
  }

  #parseReference(place: Place): Expression {
    const scan = this.#scan;
    const optional = scan.take("?");
    scan.takeBlanks();
    const path = this.#parsePath();
    if (!scan.take("}")) scan.fail("expected a brace at the end of the substitution");
    return { kind: "reference", path, prefix: this.#options.prefix, optional, place };
  }

  /** Parses `include "x"`, `include file("x")` or `include required(file("x"))`; undefined for an ordinary name. */
  #parseInclude(): Include | undefined {
    const scan = this.#scan;
    const { place } = scan;
    if (!/^include[ \t]+("|required\(|file\(|url\(|classpath\()/.test(scan.peekAhead(80))) return undefined;
    scan.take("include");
    scan.takeBlanks();
    const required = scan.take("required(");
    scan.takeBlanks();
    const from = (["file", "url", "classpath"] as const).find((word) => scan.take(`${word}(`)) ?? "plain";
    scan.takeBlanks();
    if (!scan.isNext('"')) return scan.fail("the included name must be quoted");
    const name = scan.takeQuoted();
    for (let open = Number(required) + Number(from !== "plain"); open > 0; open--) {
      scan.takeBlanks();
      if (!scan.take(")")) return scan.fail("unclosed bracket of the include");
    }
    return { from, name, required, place };
  }

  #addIncluded(object: ObjectExpression, path: readonly string[] | undefined, include: Include): void {
    const included = this.#options.include(include, [...this.#options.prefix, ...(path ?? [])]);
    for (const [name, { layers }] of included?.fields ?? [])
      for (const layer of layers) addLayer(fieldOf(object, name), layer);
  }

  #nested<T>(read: () => T): T {
    if (++this.#depth > MAX_DEPTH)
      this.#scan.fail(`objects and lists are nested more than ${MAX_DEPTH} deep`);
    const result = read();
    this.#depth--;
    return result;
  }
}
