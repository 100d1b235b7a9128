/** Compares recorded JSON with a node's answer by value and order of members, with the tolerances of a recording. */
import { JsonNumber, type JsonValue, printJson } from "../../src/bytes/json.ts";

/** Tolerances. Paths look like `$.a[0].b`; `[*]` is any index, `.*` any member. */
export interface Freedoms {
  /** Paths at which only the JSON type counts. */
  readonly volatile?: readonly string[];
  /** Patterns of strings. */
  readonly patterns?: Readonly<Record<string, string>>;
  /** Arrays and objects whose order does not count. */
  readonly unordered?: readonly string[];
}

type Path = readonly (string | number)[];

function tokens(path: string): Path {
  return [...path.slice(1).matchAll(/\.([^.[\]]+)|\[(\d+|\*)\]/g)].map(([, name, index]) =>
    name !== undefined ? name : index === "*" ? "*" : Number(index),
  );
}

function matches(pattern: Path, path: Path): boolean {
  return pattern.length === path.length && pattern.every((token, i) => token === "*" || token === path[i]);
}

function pathText(path: Path): string {
  return `$${path.map((token) => (typeof token === "number" ? `[${token}]` : `.${token}`)).join("")}`;
}

function typeOf(value: JsonValue | undefined): string {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  if (value instanceof JsonNumber) return "number";
  if (Array.isArray(value)) return "array";
  return value instanceof Map ? "object" : typeof value;
}

/** The values one step down a path. */
function childrenOf(value: JsonValue, token: string | number): (JsonValue | undefined)[] {
  if (value instanceof Map) return token === "*" ? [...value.values()] : [value.get(String(token))];
  if (Array.isArray(value)) return token === "*" ? value : [value[Number(token)]];
  return [];
}

/** The values at a path. */
export function valuesAt(value: JsonValue, path: string): JsonValue[] {
  let found: JsonValue[] = [value];
  for (const token of tokens(path)) {
    found = found.flatMap((one) => childrenOf(one, token).filter((child) => child !== undefined));
  }
  return found;
}

/** Compares with the tolerances of one recorded answer. */
export class JsonComparison {
  readonly #volatile: readonly Path[];
  readonly #unordered: readonly Path[];
  readonly #patterns: readonly { path: Path; pattern: RegExp }[];

  constructor(freedoms: Freedoms) {
    this.#volatile = (freedoms.volatile ?? []).map(tokens);
    this.#unordered = (freedoms.unordered ?? []).map(tokens);
    this.#patterns = Object.entries(freedoms.patterns ?? {}).map(([path, pattern]) => ({
      path: tokens(path),
      pattern: new RegExp(pattern),
    }));
  }

  /** Returns the differences in words; an empty list if there are none. */
  differences(expected: JsonValue, actual: JsonValue | undefined, path: Path = []): string[] {
    const differs = (what: string): string[] => [`${pathText(path)}: ${what}`];
    if (actual === undefined) return differs(`missing, expected ${printJson(expected).slice(0, 200)}`);
    const pattern = this.#patterns.find((one) => matches(one.path, path));
    if (pattern !== undefined) {
      const fits = typeof actual === "string" && pattern.pattern.test(actual);
      return fits ? [] : differs(`${printJson(actual)} does not fit ${pattern.pattern}`);
    }
    const type = typeOf(expected);
    if (type !== typeOf(actual)) {
      return differs(`${printJson(actual).slice(0, 200)} instead of ${printJson(expected).slice(0, 200)}`);
    }
    if (this.#volatile.some((one) => matches(one, path))) return [];
    const ordered = !this.#unordered.some((one) => matches(one, path));
    if (expected instanceof Map && actual instanceof Map)
      return this.#objects(expected, actual, path, ordered);
    if (Array.isArray(expected) && Array.isArray(actual)) {
      return ordered ? this.#lists(expected, actual, path) : this.#sets(expected, actual, path);
    }
    const same =
      expected instanceof JsonNumber && actual instanceof JsonNumber
        ? expected.text === actual.text
        : expected === actual;
    return same ? [] : differs(`${printJson(actual)} instead of ${printJson(expected)}`);
  }

  #objects(
    expected: ReadonlyMap<string, JsonValue>,
    actual: ReadonlyMap<string, JsonValue>,
    path: Path,
    ordered: boolean,
  ): string[] {
    const names = [...expected.keys()];
    const others = [...actual.keys()];
    const found = names.flatMap((name) => {
      // A member with a recorded value must exist.
      return this.differences(expected.get(name) as JsonValue, actual.get(name), [...path, name]);
    });
    const surplus = others.filter((name) => !expected.has(name));
    if (surplus.length > 0) found.push(`${pathText(path)}: has ${surplus.join(", ")} too`);
    if (found.length === 0 && ordered && names.join("\0") !== others.join("\0")) {
      found.push(`${pathText(path)}: order ${others.join(", ")} instead of ${names.join(", ")}`);
    }
    return found;
  }

  #lists(expected: readonly JsonValue[], actual: readonly JsonValue[], path: Path): string[] {
    const found = expected.flatMap((value, i) => this.differences(value, actual[i], [...path, i]));
    if (actual.length > expected.length) {
      found.push(`${pathText(path)}: ${actual.length} elements instead of ${expected.length}`);
    }
    return found;
  }

  /** Matches each recorded element with a different element of the answer. */
  #sets(expected: readonly JsonValue[], actual: readonly JsonValue[], path: Path): string[] {
    const left = [...actual];
    const found: string[] = [];
    expected.forEach((value, i) => {
      const at = left.findIndex((one) => this.differences(value, one, [...path, i]).length === 0);
      if (at >= 0) left.splice(at, 1);
      else found.push(`${pathText(path)}: no ${printJson(value).slice(0, 300)}`);
    });
    for (const value of left) found.push(`${pathText(path)}: ${printJson(value).slice(0, 300)} too`);
    return found;
  }
}
