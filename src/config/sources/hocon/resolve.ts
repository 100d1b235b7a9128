/** Resolves substitutions (`${...}`) from the file and its includes, else from the environment. */
import {
  type Blank,
  type Expression,
  type Field,
  HoconError,
  type HoconList,
  type HoconObject,
  type HoconScalar,
  type HoconValue,
  type ObjectExpression,
  type Place,
  type Reference,
} from "./values.ts";

/** Maximum number of resolved expressions, layers, members and items. */
const MAX_STEPS = 2_000_000;
/** Maximum size of a value: its characters, plus one for each contained value. */
const MAX_SIZE = 2 ** 23;
/** Maximum length of a chain of substitutions. */
const MAX_CHAIN = 200;

/** `hidesOlder`: older layers of the field are ignored, even if there is no value. */
interface Found {
  readonly value: HoconValue | undefined;
  readonly hidesOlder: boolean;
}

const noValue: Found = { value: undefined, hidesOlder: false };

export interface Resolved {
  readonly root: HoconObject;
  /** Paths to which substitutions refer. */
  readonly used: ReadonlySet<string>;
}

/**
 * @param externalValue returns the value of a path that the file does not set
 * @throws HoconError
 */
export function resolveHocon(
  root: ObjectExpression,
  externalValue: (path: string) => string | undefined,
): Resolved {
  const resolver = new Resolver(root, externalValue);
  return { root: resolver.resolveObject(root), used: resolver.used };
}

class Resolver {
  readonly used = new Set<string>();
  readonly #root: Field;
  readonly #externalValue: (path: string) => string | undefined;
  /**
   * Fields with a layer that is being resolved. References see only the layers before index `below`. `depth`: index
   * in the order of opening, from 1.
   */
  readonly #open = new Map<Field, { readonly below: number; readonly depth: number }>();
  /**
   * Fields whose whole value is being resolved: maps the number of visible layers to the size of `#open` at the
   * start.
   */
  readonly #inProgress = new Map<Field, Map<number, number>>();
  /** Resolved fields that do not depend on open fields. */
  readonly #resolved = new Map<Field, Found>();
  readonly #sizes = new WeakMap<HoconValue, number>();
  /** `depth` of the outermost open field on which the current value depends. */
  #outermostDepth = Number.POSITIVE_INFINITY;
  #steps = 0;

  constructor(root: ObjectExpression, externalValue: (path: string) => string | undefined) {
    this.#root = { layers: [root] };
    this.#externalValue = externalValue;
  }

  resolveObject({ fields, place }: ObjectExpression): HoconObject {
    const members = new Map<string, HoconValue>();
    for (const [name, field] of fields) {
      const { value } = this.#find(field, []);
      if (value !== undefined) members.set(name, value);
    }
    return this.#createObject(members, place);
  }

  /** Finds no value if the path is unset or refers to itself. */
  #find(field: Field, path: readonly string[]): Found {
    const resolved = path.length === 0 && !this.#open.has(field) ? this.#resolved.get(field) : undefined;
    if (resolved !== undefined) return resolved;
    const depthBefore = this.#outermostDepth;
    this.#outermostDepth = Number.POSITIVE_INFINITY;
    const found = path.length === 0 ? this.#findWhole(field) : this.#mergeLayers(field, path);
    if (path.length === 0 && this.#outermostDepth > this.#open.size) this.#resolved.set(field, found);
    this.#outermostDepth = Math.min(depthBefore, this.#outermostDepth);
    return found;
  }

  #findWhole(field: Field): Found {
    const layers = this.#open.get(field)?.below ?? field.layers.length;
    const openCounts = this.#inProgress.get(field) ?? new Map<number, number>();
    const openCount = openCounts.get(layers);
    if (openCount !== undefined) {
      this.#outermostDepth = Math.min(this.#outermostDepth, openCount);
      return noValue;
    }
    this.#inProgress.set(field, openCounts.set(layers, this.#open.size));
    const found = this.#mergeLayers(field, []);
    openCounts.delete(layers);
    return found;
  }

  #mergeLayers(field: Field, path: readonly string[]): Found {
    const open = this.#open.get(field);
    if (open !== undefined) this.#outermostDepth = Math.min(this.#outermostDepth, open.depth);
    let newer: HoconObject | undefined;
    for (let i = (open?.below ?? field.layers.length) - 1; i >= 0; i--) {
      const layer = field.layers[i];
      this.#countSteps(1, layer.place);
      const { value, hidesOlder } =
        layer.kind === "fields" && path.length > 0
          ? this.#findIn(layer, path)
          : valueAt(this.#resolveLayer(field, i, layer), path);
      if (value?.kind === "object") newer = newer === undefined ? value : this.#merge(value, newer);
      else if (value !== undefined) return { value: newer ?? value, hidesOlder: true };
      if (hidesOlder) return { value: newer, hidesOlder: true };
    }
    return { value: newer, hidesOlder: false };
  }

  #findIn({ fields }: ObjectExpression, [name, ...rest]: readonly string[]): Found {
    const field = fields.get(name);
    return field === undefined ? noValue : this.#find(field, rest);
  }

  #resolveLayer(field: Field, below: number, layer: Expression): HoconValue | undefined {
    // Do not open the field for an object: its members may refer to each other.
    if (layer.kind === "fields" || layer.kind === "scalar") return this.#resolve(layer);
    const outer = this.#open.get(field);
    this.#open.set(field, { below, depth: outer?.depth ?? this.#open.size + 1 });
    if (this.#open.size > MAX_CHAIN)
      throw new HoconError(layer.place, "the chain of substitutions is too long");
    const value = this.#resolve(layer);
    if (outer === undefined) this.#open.delete(field);
    else this.#open.set(field, outer);
    return value;
  }

  #resolve(expression: Expression): HoconValue | undefined {
    this.#countSteps(1, expression.place);
    switch (expression.kind) {
      case "scalar":
        return expression;
      case "fields":
        return this.resolveObject(expression);
      case "items":
        return this.#createList(
          expression.items.flatMap((item) => this.#resolve(item) ?? []),
          expression.place,
        );
      case "reference":
        return this.#resolveReference(expression);
      case "parts":
        return this.#concatenate(expression.parts, expression.place);
    }
  }

  #resolveReference({ path, prefix, optional, place }: Reference): HoconValue | undefined {
    const candidates = prefix.length === 0 ? [path] : [[...prefix, ...path], path];
    for (const candidate of candidates) {
      this.used.add(candidate.join("."));
      const { value } = this.#find(this.#root, candidate);
      if (value !== undefined) return value;
    }
    const text = this.#externalValue(path.join("."));
    if (text !== undefined) return { kind: "scalar", text, quoted: true, place };
    if (optional) return undefined;
    throw new HoconError(place, `\${${path.join(".")}} is not set, or refers to itself`);
  }

  #concatenate(parts: readonly (Expression | Blank)[], place: Place): HoconValue | undefined {
    const pieces = parts.flatMap((part) => (part.kind === "blank" ? part : (this.#resolve(part) ?? [])));
    const values = pieces.filter((piece) => piece.kind !== "blank");
    const objects = values.filter((value) => value.kind === "object");
    const lists = values.filter((value) => value.kind === "list");
    const [first] = values;
    if (first === undefined) return undefined;
    if (objects.length === values.length) return objects.reduce((older, newer) => this.#merge(older, newer));
    if (lists.length === values.length)
      return this.#createList(
        lists.flatMap(({ items }) => items),
        place,
      );
    if (objects.length + lists.length > 0)
      throw new HoconError(place, "cannot concatenate values of different types");
    const texts = pieces.filter((piece): piece is HoconScalar | Blank => "text" in piece);
    // 100 characters count as one step.
    this.#countSteps(texts.reduce((length, { text }) => length + text.length, 0) / 100, place);
    return { kind: "scalar", text: texts.map(({ text }) => text).join(""), quoted: true, place };
  }

  #merge(older: HoconObject, newer: HoconObject): HoconObject {
    const members = new Map(older.members);
    for (const [name, value] of newer.members) {
      const before = members.get(name);
      const both = before?.kind === "object" && value.kind === "object";
      members.set(name, both ? this.#merge(before, value) : value);
    }
    return this.#createObject(members, newer.place);
  }

  #createObject(members: ReadonlyMap<string, HoconValue>, place: Place): HoconObject {
    return this.#checkSize({ kind: "object", members, place }, members.values(), members.size);
  }

  #createList(items: readonly HoconValue[], place: Place): HoconList {
    return this.#checkSize({ kind: "list", items, place }, items, items.length);
  }

  #checkSize<T extends HoconValue>(created: T, parts: Iterable<HoconValue>, count: number): T {
    this.#countSteps(count, created.place);
    let size = 1;
    for (const part of parts)
      size += part.kind === "scalar" ? part.text.length + 1 : (this.#sizes.get(part) ?? 1);
    if (size > MAX_SIZE) this.#throwTooLarge(created.place);
    this.#sizes.set(created, size);
    return created;
  }

  #countSteps(steps: number, place: Place): void {
    this.#steps += steps;
    if (this.#steps > MAX_STEPS) this.#throwTooLarge(place);
  }

  #throwTooLarge(place: Place): never {
    throw new HoconError(place, "the substitutions expand to a value that is too large");
  }
}

function valueAt(value: HoconValue | undefined, path: readonly string[]): Found {
  if (value === undefined) return noValue;
  let found: HoconValue | undefined = value;
  for (const name of path) {
    if (found.kind !== "object") return { value: undefined, hidesOlder: true };
    found = found.members.get(name);
    if (found === undefined) return noValue;
  }
  return { value: found, hidesOlder: false };
}
