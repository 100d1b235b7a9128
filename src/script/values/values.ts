/** The values a running script computes with. Page 08 §13, §15.4. */
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
