/** JSON of an answer as values of a program: which integers are `bigint` follows from the answer's schema. */
import { JsonNumber, type JsonValue } from "../bytes/json.ts";

/** Where a schema says that an integer may not fit a double. Nothing is said of what needs no change. */
export interface Shape {
  /** An integer here is a `bigint`. */
  readonly big?: true;
  /** Of the elements of a list. */
  readonly items?: Shape;
  /** Of members of an object by name. */
  readonly members?: Readonly<Record<string, Shape>>;
  /** Of all other members of an object. */
  readonly others?: Shape;
}

/** What an answer is made of in a program. Objects are plain ones. */
export type Decoded =
  | null
  | boolean
  | string
  | number
  | bigint
  | readonly Decoded[]
  | { readonly [member: string]: Decoded };

/** Integers that the schema does not call large can be large all the same, where it knows nothing of what is there. */
function decodeNumber(value: JsonNumber, shape: Shape | undefined): number | bigint {
  if (shape?.big === true && value.isIntegral()) return value.toBigInt();
  const number = value.toNumber();
  return Number.isSafeInteger(number) || !value.isIntegral() ? number : value.toBigInt();
}

/**
 * The value of JSON.
 * @throws RangeError for an integer of more than 5,000 digits
 */
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

/** The members of an object; none for any other value. */
export function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  // Callers check each member before they use it.
  return isObject ? (value as Readonly<Record<string, unknown>>) : {};
}
