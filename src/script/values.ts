/** The values a running script computes with. Page 08 §13, §15.4. */
import { bytesEqual } from "../bytes/compare.ts";
import type { ObjectType } from "./types.ts";

/** Int (signed 64-bit), Boolean, String, ByteVector, unit, list, object, or an opaque value. */
export type Value =
  | bigint
  | boolean
  | string
  | Uint8Array
  | UnitValue
  | readonly Value[]
  | ObjectValue
  | OpaqueValue;

/** The class of the one value of type Unit. */
class UnitValue {
  readonly kind = "unit";
}

export const unit: Value = new UnitValue();

/** An object of a named type. A constructor called with too few arguments leaves fields out. */
export class ObjectValue {
  readonly type: ObjectType;
  /** In the order of the type's fields; those left out are the last. */
  readonly values: readonly Value[];

  constructor(type: ObjectType, values: readonly Value[]) {
    this.type = type;
    this.values = values;
  }

  /** The names of the fields that it has. */
  get names(): string[] {
    return this.type.fields.slice(0, this.values.length).map(([name]) => name);
  }

  /** The value of a field; undefined when there is none. */
  field(name: string): Value | undefined {
    const { fields } = this.type;
    // A dozen names at most, and nearly always the same objects: quicker than any map.
    for (let i = 0; i < this.values.length; i++) if (fields[i][0] === name) return this.values[i];
    return undefined;
  }
}

/** A value that the reference hands to scripts as it is: they can compare it with others of its kind, no more. */
export class OpaqueValue {
  readonly kind: "LangAddress" | "PublicKey";
  readonly bytes: Uint8Array;

  constructor(kind: "LangAddress" | "PublicKey", bytes: Uint8Array) {
    this.kind = kind;
    this.bytes = bytes;
  }
}

/** Objects known to be equal, or taken to be while a comparison has found no difference: a forest of sets. */
class EqualSets {
  readonly #parents = new Map<ObjectValue, ObjectValue>();

  #root(value: ObjectValue): ObjectValue {
    let root = value;
    for (let up = this.#parents.get(root); up !== undefined; up = this.#parents.get(root)) root = up;
    for (let at = value; at !== root; ) {
      const up = this.#parents.get(at) ?? root;
      this.#parents.set(at, root);
      at = up;
    }
    return root;
  }

  /** Puts both into one set; false when they were already there. */
  join(a: ObjectValue, b: ObjectValue): boolean {
    const rootA = this.#root(a);
    const rootB = this.#root(b);
    if (rootA === rootB) return false;
    this.#parents.set(rootA, rootB);
    return true;
  }
}

/**
 * The `==` of the language: same kind and same content, false for different kinds. Objects can share parts so that the
 * tree is exponentially larger than what is in memory; each pair of shared parts is looked at once.
 */
export function valuesEqual(first: Value, second: Value): boolean {
  const pending: [Value, Value][] = [[first, second]];
  let sets: EqualSets | undefined;
  for (let pair = pending.pop(); pair !== undefined; pair = pending.pop()) {
    const [a, b] = pair;
    if (a === b) continue;
    if (a instanceof Uint8Array) {
      if (!(b instanceof Uint8Array) || !bytesEqual(a, b)) return false;
    } else if (isList(a)) {
      if (!isList(b) || a.length !== b.length) return false;
      for (let i = 0; i < a.length; i++) pending.push([a[i], b[i]]);
    } else if (a instanceof ObjectValue) {
      if (!(b instanceof ObjectValue) || a.type !== b.type || a.values.length !== b.values.length)
        return false;
      sets ??= new EqualSets();
      if (!sets.join(a, b)) continue;
      for (let i = 0; i < a.values.length; i++) pending.push([a.values[i], b.values[i]]);
    } else if (a instanceof OpaqueValue) {
      if (!(b instanceof OpaqueValue) || a.kind !== b.kind || !bytesEqual(a.bytes, b.bytes)) return false;
    } else return false; // unequal numbers, booleans or strings, or unit and something else
  }
  return true;
}

export function isList(value: Value): value is readonly Value[] {
  return Array.isArray(value);
}

/** Name of the value's type as `_isInstanceOf` compares it; undefined for lists and opaque values. */
export function typeNameOf(value: Value): string | undefined {
  if (typeof value === "bigint") return "Int";
  if (typeof value === "boolean") return "Boolean";
  if (typeof value === "string") return "String";
  if (value instanceof Uint8Array) return "ByteVector";
  if (value instanceof ObjectValue) return value.type.name;
  return value === unit ? "Unit" : undefined;
}
