/** Latest time of a `Date`, ms since 1970. */
const MAX_DATE = 8_640_000_000_000_000n;

/** The last millisecond of the year 9999. */
export const LAST_ISO_TIME = 253_402_300_799_999n;

/** Formats ms since 1970 as ISO 8601 in UTC, without fractions of a second. Page 07 §8.8. */
export function isoSeconds(time: bigint): string {
  const clamped = time > MAX_DATE ? MAX_DATE : time < -MAX_DATE ? -MAX_DATE : time;
  const seconds = clamped - (((clamped % 1000n) + 1000n) % 1000n);
  return new Date(Number(seconds)).toISOString().replace(/\.\d+Z$/, "Z");
}

/** Bounds the quadratic time of the pattern in `parseUtc`. */
const MAX_DATE_CHARACTERS = 100;

/** Like `Date.parse`, with UTC as the default zone. Returns NaN for an invalid date. */
export function parseUtc(text: string): number {
  if (text.length > MAX_DATE_CHARACTERS) return Number.NaN;
  const hasZone = /(?:z|utc|gmt)$|:\d{2}.*[+-]\d{2}:?\d{2}(?:\s*\(.*\))?$/i.test(text.trim());
  return Date.parse(hasZone ? text : `${text}Z`);
}

/** The last millisecond of the second that contains a time. */
export function endOfSecond(ms: number): bigint {
  return BigInt(Math.floor(ms / 1000) * 1000 + 999);
}

const XML_DATETIME = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/;

/** Parses a time of XML Schema 1.1. Returns ms since 1970; undefined if invalid. */
export function parseXmlDatetime(text: string): number | undefined {
  const [, local, zone] = XML_DATETIME.exec(text) ?? [];
  if (local === undefined || zone === undefined) return undefined;
  const localAsUtc = Date.parse(`${local}Z`);
  // `Date` rolls an invalid day over to the next month.
  if (Number.isNaN(localAsUtc) || !new Date(localAsUtc).toISOString().startsWith(local)) return undefined;
  const ms = Date.parse(local + zone);
  return Number.isNaN(ms) ? undefined : ms;
}
