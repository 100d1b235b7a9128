import { JsonNumber, type JsonValue } from "../bytes/json.ts";

/** Marks with `big` the integers of an answer that may not fit a double. Parts without a shape are decoded too. */
export interface Shape {
  readonly big?: true;
  readonly items?: Shape;
  readonly members?: Readonly<Record<string, Shape>>;
  /** Shape of members that `members` does not name. */
  readonly others?: Shape;
}

export type Decoded =
  | null
  | boolean
  | string
  | number
  | bigint
  | readonly Decoded[]
  | { readonly [member: string]: Decoded };

/** Large integers become `bigint` even if not marked `big`, because some schemas allow any value. */
function decodeNumber(value: JsonNumber, shape: Shape | undefined): number | bigint {
  if (shape?.big === true && value.isIntegral()) return value.toBigInt();
  const number = value.toNumber();
  return Number.isSafeInteger(number) || !value.isIntegral() ? number : value.toBigInt();
}

/** @throws RangeError for an integer of more than 5,000 digits */
export function decode(value: JsonValue, shape?: Shape): Decoded {
  if (value instanceof JsonNumber) return decodeNumber(value, shape);
  if (Array.isArray(value)) return value.map((item) => decode(item, shape?.items));
  if (!(value instanceof Map)) return value;
  const members = shape?.members ?? {};
  return Object.fromEntries(
    [...value].map(([name, member]) => {
      const memberShape = Object.hasOwn(members, name) ? members[name] : shape?.others;
      return [name, decode(member, memberShape)];
    }),
  );
}

/** Returns no members for a value that is not an object. */
export function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  // Callers check each member before they use it.
  return isObject ? (value as Readonly<Record<string, unknown>>) : {};
}
