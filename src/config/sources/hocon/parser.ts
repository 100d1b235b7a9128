/** Parses HOCON text. The caller reads included files; resolve.ts resolves substitutions. */
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
  /** Path of the including object. */
  readonly prefix: readonly string[];
  /** Reads an included file for the object at `path`; undefined if it is missing or ignored. */
  include(include: Include, path: readonly string[]): ObjectExpression | undefined;
}

/** Maximum nesting, and maximum number of parts of a path. */
const MAX_DEPTH = 64;

/** @throws HoconError */
export function parseHocon(text: string, file: string, options: ParseOptions): ObjectExpression {
  return new Parser(text, file, options).root();
}

class Parser {
  readonly #scan: Scanner;
  readonly #options: ParseOptions;
  #depth = 0;

  constructor(text: string, file: string, options: ParseOptions) {
    this.#scan = new Scanner(text, file);
    this.#options = options;
  }

  root(): ObjectExpression {
    const scan = this.#scan;
    const root: ObjectExpression = { kind: "fields", fields: new Map(), place: scan.place };
    scan.gap();
    if (scan.sees("[")) return scan.fail("expected names with values, found a list");
    const braces = scan.take("{");
    this.#members(root, [], braces ? "}" : "");
    scan.gap();
    return scan.peek() === "" ? root : scan.fail("text after the closing brace of the file");
  }

  /**
   * Parses members up to `end`, and consumes it.
   * @param path path of the object; undefined within a list
   */
  #members(object: ObjectExpression, path: readonly string[] | undefined, end: string): void {
    const scan = this.#scan;
    for (;;) {
      scan.gap();
      if (scan.peek() === "") {
        if (end !== "") scan.fail("unclosed brace");
        return;
      }
      if (end !== "" && scan.take(end)) return;
      const include = this.#include();
      if (include === undefined) this.#member(object, path);
      else this.#included(object, path, include);
      this.#next(end, "expected a line end or a comma after the value");
    }
  }

  #next(end: string, otherwise: string): void {
    const scan = this.#scan;
    const newLine = scan.gap();
    if (!scan.take(",") && !newLine && scan.peek() !== "" && (end === "" || !scan.sees(end)))
      scan.fail(otherwise);
  }

  #member(object: ObjectExpression, path: readonly string[] | undefined): void {
    const scan = this.#scan;
    const names = this.#path();
    scan.gap();
    const whole = path === undefined ? undefined : [...path, ...names];
    const { place } = scan;
    if ((whole ?? names).length > MAX_DEPTH) scan.fail(`a name has more than ${MAX_DEPTH} parts`);
    let value: Expression;
    if (scan.take("+=")) {
      const self = whole ?? scan.fail("+= is not allowed within a list");
      const before: Expression = {
        kind: "reference",
        path: self,
        prefix: this.#options.prefix,
        optional: true,
        place,
      };
      value = {
        kind: "parts",
        parts: [before, { kind: "items", items: [this.#value(undefined)], place }],
        place,
      };
    } else {
      if (!scan.take("=") && !scan.take(":") && !scan.sees("{")) scan.fail("expected =, : or { after a name");
      value = this.#value(whole);
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

  /** Parses names that are separated by dots. A quoted dot belongs to its name. */
  #path(): readonly string[] {
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
      } else if (scan.sees('"')) name = `${name === undefined ? "" : name + blanks}${scan.quoted()}`;
      else {
        const word = scan.word(".");
        if (word === "") break;
        name = `${name === undefined ? "" : name + blanks}${word}`;
      }
      const more = scan.blanks();
      if (name !== undefined || names.length > 0) blanks = more;
    }
    if (name === undefined) return scan.fail(names.length === 0 ? "expected a name" : "empty name");
    return [...names, name];
  }

  /** Parses a value up to a line end, comma or bracket. */
  #value(path: readonly string[] | undefined): Expression {
    const scan = this.#scan;
    scan.gap();
    const { place } = scan;
    const parts: (Expression | Blank)[] = [];
    for (let blanks = ""; ; blanks = scan.blanks()) {
      const part = this.#part(path);
      if (part === undefined) break;
      if (blanks !== "") parts.push({ kind: "blank", text: blanks });
      parts.push(part);
    }
    if (parts.length === 0)
      return scan.fail(
        scan.peek() === "" || scan.sees("}") || scan.sees(",") || scan.sees("]")
          ? "missing value"
          : `${scan.peek()} must be quoted`,
      );
    const [first] = parts;
    return parts.length === 1 && first.kind !== "blank" ? first : { kind: "parts", parts, place };
  }

  #part(path: readonly string[] | undefined): Expression | undefined {
    const scan = this.#scan;
    const { place } = scan;
    if (scan.take("{")) {
      const object: ObjectExpression = { kind: "fields", fields: new Map(), place };
      this.#within(() => this.#members(object, path, "}"));
      return object;
    }
    if (scan.take("[")) return { kind: "items", items: this.#within(() => this.#items()), place };
    if (scan.take("${")) return this.#reference(place);
    if (scan.sees('"')) return { kind: "scalar", text: scan.quoted(), quoted: true, place };
    const text = scan.word();
    return text === "" ? undefined : { kind: "scalar", text, quoted: false, place };
  }

  #items(): readonly Expression[] {
    const scan = this.#scan;
    const items: Expression[] = [];
    for (;;) {
      scan.gap();
      if (scan.take("]")) return items;
      if (scan.peek() === "") return scan.fail("unclosed bracket");
      items.push(this.#value(undefined));
      this.#next("]", "expected a line end or a comma after the item");
    }
  }

  #reference(place: Place): Expression {
    const scan = this.#scan;
    const optional = scan.take("?");
    scan.blanks();
    const path = this.#path();
    if (!scan.take("}")) scan.fail("expected a brace at the end of the substitution");
    return { kind: "reference", path, prefix: this.#options.prefix, optional, place };
  }

  /** Parses `include "x"`, `include file("x")` or `include required(file("x"))`; undefined for an ordinary name. */
  #include(): Include | undefined {
    const scan = this.#scan;
    const { place } = scan;
    if (!/^include[ \t]+("|required\(|file\(|url\(|classpath\()/.test(scan.ahead(80))) return undefined;
    scan.take("include");
    scan.blanks();
    const required = scan.take("required(");
    scan.blanks();
    const from = (["file", "url", "classpath"] as const).find((word) => scan.take(`${word}(`)) ?? "plain";
    scan.blanks();
    if (!scan.sees('"')) return scan.fail("the included name must be quoted");
    const name = scan.quoted();
    for (let open = Number(required) + Number(from !== "plain"); open > 0; open--) {
      scan.blanks();
      if (!scan.take(")")) return scan.fail("unclosed bracket of the include");
    }
    return { from, name, required, place };
  }

  #included(object: ObjectExpression, path: readonly string[] | undefined, include: Include): void {
    const included = this.#options.include(include, [...this.#options.prefix, ...(path ?? [])]);
    for (const [name, { layers }] of included?.fields ?? [])
      for (const layer of layers) addLayer(fieldOf(object, name), layer);
  }

  #within<T>(read: () => T): T {
    if (++this.#depth > MAX_DEPTH)
      this.#scan.fail(`objects and lists are nested more than ${MAX_DEPTH} deep`);
    const result = read();
    this.#depth--;
    return result;
  }
}
