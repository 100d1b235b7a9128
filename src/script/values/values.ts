/** Values of a running script. Page 08 §13, §15.4. */
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

/** Constructor calls with too few arguments omit fields. */
export class ObjectValue {
  readonly type: ObjectType;
  /** Omitted fields are the last ones. */
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
    // Linear search beats a map: at most a dozen names, nearly always the same objects.
    for (let i = 0; i < this.values.length; i++) if (fields[i][0] === name) return this.values[i];
    return undefined;
  }
}

/** Scripts can only compare it with other values of its kind. */
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

/** Undefined for lists and opaque values. */
export function typeNameOf(value: Value): string | undefined {
  if (typeof value === "bigint") return "Int";
  if (typeof value === "boolean") return "Boolean";
  if (typeof value === "string") return "String";
  if (value instanceof Uint8Array) return "ByteVector";
  if (value instanceof ObjectValue) return value.type.name;
  return value === unit ? "Unit" : undefined;
}
