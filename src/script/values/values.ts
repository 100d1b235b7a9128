/** Page 08 §13, §15.4. */
import type { ObjectType } from "./types.ts";

/** Int (signed 64-bit), Boolean, String, ByteVector, unit, list, object, or opaque value. */
export type Value =
  | bigint
  | boolean
  | string
  | Uint8Array
  | UnitValue
  | readonly Value[]
  | ObjectValue
  | OpaqueValue;

class UnitValue {
  readonly kind = "unit";
}

export const unit: Value = new UnitValue();

/** A constructor call with too few arguments omits the last fields. */
export class ObjectValue {
  readonly type: ObjectType;
  readonly values: readonly Value[];

  constructor(type: ObjectType, values: readonly Value[]) {
    this.type = type;
    this.values = values;
  }

  get names(): string[] {
    return this.type.fields.slice(0, this.values.length).map(([name]) => name);
  }

  field(name: string): Value | undefined {
    const { fields } = this.type;
    // Linear search is faster than a map for a dozen names.
    for (let i = 0; i < this.values.length; i++) if (fields[i][0] === name) return this.values[i];
    return undefined;
  }
}

/** A value that scripts can only compare with others of its kind. */
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

/** Returns undefined for lists and opaque values. */
export function typeNameOf(value: Value): string | undefined {
  if (typeof value === "bigint") return "Int";
  if (typeof value === "boolean") return "Boolean";
  if (typeof value === "string") return "String";
  if (value instanceof Uint8Array) return "ByteVector";
  if (value instanceof ObjectValue) return value.type.name;
  return value === unit ? "Unit" : undefined;
}
