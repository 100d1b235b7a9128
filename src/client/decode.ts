import { JsonNumber, type JsonValue } from "../bytes/json.ts";

/** Marks integers that may not fit a double. Parts without any are left out. */
export interface Shape {
  /** Decoded as `bigint`. */
  readonly big?: true;
  readonly items?: Shape;
  readonly members?: Readonly<Record<string, Shape>>;
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

/** Where the schema allows anything, integers can be large without a mark. */
function decodeNumber(value: JsonNumber, shape: Shape | undefined): number | bigint {
  if (shape?.big === true && value.isIntegral()) return value.toBigInt();
  const number = value.toNumber();
  return Number.isSafeInteger(number) || !value.isIntegral() ? number : value.toBigInt();
}

/** @throws RangeError for an integer of more than 5,000 digits */
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

/** Returns no members for anything but an object. */
export function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  // Callers check each member before they use it.
  return isObject ? (value as Readonly<Record<string, unknown>>) : {};
}
