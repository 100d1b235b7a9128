import { JsonNumber, type JsonValue } from "../bytes/json.ts";

/** Tells where an answer has integers that may not fit a double. Parts without any are left out. */
export interface Shape {
  /** This integer is a `bigint`. */
  readonly big?: true;
  /** Shape of list elements. */
  readonly items?: Shape;
  /** Shapes of object members by name. */
  readonly members?: Readonly<Record<string, Shape>>;
  /** Shape of all other members. */
  readonly others?: Shape;
}

/** A decoded answer, with plain objects. */
export type Decoded =
  | null
  | boolean
  | string
  | number
  | bigint
  | readonly Decoded[]
  | { readonly [member: string]: Decoded };

/** An integer that the schema does not call large can still be large if the schema allows anything. */
function decodeNumber(value: JsonNumber, shape: Shape | undefined): number | bigint {
  if (shape?.big === true && value.isIntegral()) return value.toBigInt();
  const number = value.toNumber();
  return Number.isSafeInteger(number) || !value.isIntegral() ? number : value.toBigInt();
}

/** Converts parsed JSON to plain values. @throws RangeError for an integer of more than 5,000 digits */
export function decode(value: JsonValue, shape?: Shape): Decoded {
  if (value instanceof JsonNumber) return decodeNumber(value, shape);
  if (Array.isArray(value)) return value.map((one) => decode(one, shape?.items));
  if (!(value instanceof Map)) return value;
  const members = shape?.members ?? {};
  return Object.fromEntries(
    [...value].map(([name, one]) => {
      const own = Object.hasOwn(members, name) ? members[name] : shape?.others;
      return [name, decode(one, own)];
    }),
  );
}

/** Returns the members of an object, or none for any other value. */
export function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  // Callers check each member before they use it.
  return isObject ? (value as Readonly<Record<string, unknown>>) : {};
}
