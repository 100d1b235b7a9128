/** JSON text with errors in it: wrong values, duplicate or missing members, numbers and strings at the limits. */
import { JsonNumber, type JsonOut } from "../../../src/bytes/json.ts";
import type { SeededRandom } from "../../../src/testing/seeded-random.ts";

/** Replacement values, as JSON. */
const TOKENS = [
  "null",
  "true",
  "0",
  "-0",
  "-1",
  "1.5",
  "1e400",
  "-1e400",
  "1e-400",
  "1e999999999",
  "1e99999999999999999999",
  "127",
  "128",
  "2147483648",
  "9223372036854775807",
  "9223372036854775808",
  "-9223372036854775809",
  "99999999999999999999999999999999999999",
  "[]",
  "{}",
  '[null,{"a":[1]}]',
  '""',
  '"\\u0000"',
  '"\\ud800"',
  '"\\udc00\\ud800"',
  '"\\ud83d\\ude00"',
  '"é"',
  '"__proto__"',
  '"address:"',
  '"base64:"',
  '"base64:####"',
  '"1111111111111111111111111111111111"',
  '{"__proto__":{"type":4}}',
  '{"constructor":1,"toString":2}',
  `"${"1".repeat(3_000)}"`,
  `"${"z".repeat(100_000)}"`,
  `${"[".repeat(60)}${"]".repeat(60)}`,
  `${"[".repeat(5_000)}`,
  `${'{"a":'.repeat(70)}1${"}".repeat(70)}`,
];
/** Member names that mean something to some route. */
const NAMES = [
  "type",
  "version",
  "fee",
  "sender",
  "proofs",
  "data",
  "id",
  "signature",
  "",
  "__proto__",
  "\\u0000",
];

/** Prints a value as JSON. @param percent probability that a part of it is replaced */
export function noisyJson(value: JsonOut, random: SeededRandom, percent: number): string {
  if (random.chance(percent)) return random.pick(TOKENS);
  if (value instanceof JsonNumber) return value.text;
  if (typeof value === "bigint") return String(value);
  if (Array.isArray(value)) {
    const items = value.map((one: JsonOut) => noisyJson(one, random, percent));
    const more = random.chance(percent) ? [random.pick(TOKENS)] : [];
    return `[${[...items, ...more].join(",")}]`;
  }
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const entries = value instanceof Map ? [...value] : Object.entries(value);
  const members: string[] = [];
  for (const [name, one] of entries as [string, JsonOut][]) {
    if (one === undefined || random.chance(percent)) continue;
    const member = `${JSON.stringify(name)}:${noisyJson(one, random, percent)}`;
    members.push(member);
    if (random.chance(percent)) members.push(`${JSON.stringify(name)}:${random.pick(TOKENS)}`);
  }
  if (random.chance(percent)) members.push(`"${random.pick(NAMES)}":${random.pick(TOKENS)}`);
  return `{${members.join(",")}}`;
}
