/** Times as the indexer and DID documents show them, and as requests name them. Page 07 §8.8. */

/** Largest time that a date can show, ms. */
const MAX_DATE = 8_640_000_000_000_000n;

/** The last ms of the year 9999: later years are not of the form that specifications ask for. */
export const LAST_ISO_TIME = 253_402_300_799_999n;

/** ISO 8601 in UTC with the milliseconds cut off. Page 07 §8.8. */
export function isoSeconds(time: bigint): string {
  const within = time > MAX_DATE ? MAX_DATE : time < -MAX_DATE ? -MAX_DATE : time;
  const seconds = within - (((within % 1000n) + 1000n) % 1000n);
  return new Date(Number(seconds)).toISOString().replace(/\.\d+Z$/, "Z");
}

/** Longest text of a date that is read: the pattern below tries every place of a long one against every other. */
const MAX_DATE_TEXT = 100;

/** As JavaScript reads dates, but a text without a zone is UTC, wherever the node runs; not a number for no date. */
export function parseUtc(text: string): number {
  if (text.length > MAX_DATE_TEXT) return Number.NaN;
  const zoned = /(?:z|utc|gmt)$|:\d{2}.*[+-]\d{2}:?\d{2}(?:\s*\(.*\))?$/i.test(text.trim());
  return Date.parse(zoned ? text : `${text}Z`);
}

/** The last millisecond of the second of a time: whoever names a second means all that happened in it. */
export function endOfSecond(ms: number): bigint {
  return BigInt(Math.floor(ms / 1000) * 1000 + 999);
}

const XML_DATETIME = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/;

/** Milliseconds of a `dateTimeStamp` of XML Schema 1.1; undefined when the text is none. */
export function parseXmlDatetime(text: string): number | undefined {
  const [, local, zone] = XML_DATETIME.exec(text) ?? [];
  if (local === undefined || zone === undefined) return undefined;
  const wall = Date.parse(`${local}Z`);
  // A day that the month does not have would be read as one of the next.
  if (Number.isNaN(wall) || !new Date(wall).toISOString().startsWith(local)) return undefined;
  const ms = Date.parse(local + zone);
  return Number.isNaN(ms) ? undefined : ms;
}
