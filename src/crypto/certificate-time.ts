/** Parses dates like the reference's runtime: seconds and fractions are optional, the time zone is not. */
import { DecodeError } from "../bytes/errors.ts";
import { type Element, isUniversal, Tag } from "./asn1.ts";

const MINUTE_MS = 60_000;

/** A non-digit counts as the digit -1, as in the reference's runtime. */
class TimeReader {
  readonly #text: Uint8Array;
  #at = 0;

  constructor(text: Uint8Array) {
    this.#text = text;
  }

  get remaining(): number {
    return this.#text.length - this.#at;
  }

  char(): string {
    return String.fromCharCode(this.#text[this.#at++]);
  }

  peek(): string {
    return String.fromCharCode(this.#text[this.#at]);
  }

  digit(): number {
    const value = this.#text[this.#at++] - 0x30;
    return value >= 0 && value <= 9 ? value : -1;
  }

  twoDigits(): number {
    return 10 * this.digit() + this.digit();
  }
}

/** Returns milliseconds. */
function readFraction(reader: TimeReader): number {
  if (reader.remaining === 0 || !".,".includes(reader.peek())) return 0;
  reader.char();
  let scale = 100;
  let milliseconds = 0;
  let digitCount = 0;
  while (reader.remaining > 0 && !"Z+-".includes(reader.peek())) {
    const digit = reader.digit();
    if (digit < 0) throw new DecodeError("a time has an invalid fraction");
    milliseconds += digit * scale;
    scale = scale > 1 ? scale / 10 : 0;
    digitCount++;
  }
  if (digitCount === 0) throw new DecodeError("a time has an empty fraction");
  return milliseconds;
}

/** Reads `Z`, `+hhmm` or `-hhmm`. Returns the milliseconds to add to get UTC. */
function readOffset(reader: TimeReader): number {
  const { remaining } = reader;
  if (remaining !== 1 && remaining !== 5) throw new DecodeError("a time has an invalid offset");
  const sign = reader.char();
  if (sign === "Z" && remaining === 1) return 0;
  if ((sign !== "+" && sign !== "-") || remaining !== 5)
    throw new DecodeError("a time has an invalid offset");
  const hours = reader.twoDigits();
  const minutes = reader.twoDigits();
  if (hours >= 24 || minutes >= 60) throw new DecodeError("a time has an invalid offset");
  return (sign === "+" ? -1 : 1) * (hours * 60 + minutes) * MINUTE_MS;
}

/**
 * Accepts UTCTime and GeneralizedTime. Returns ms since 1970.
 * @throws DecodeError
 */
export function readTime(element: Element | undefined): number {
  const isGeneralized = isUniversal(element, Tag.GeneralizedTime);
  if (!isGeneralized && !isUniversal(element, Tag.UtcTime)) throw new DecodeError("a time is missing");
  const { content } = element;
  const [min, max] = isGeneralized ? [13, 23] : [11, 17];
  if (content.length < min || content.length > max) throw new DecodeError("a time has a wrong length");
  const reader = new TimeReader(content);
  const century = isGeneralized ? 100 * reader.twoDigits() : 0;
  const shortYear = reader.twoDigits();
  const year = isGeneralized ? century + shortYear : shortYear + (shortYear < 50 ? 2_000 : 1_900);
  const [month, day, hour, minute] = [
    reader.twoDigits(),
    reader.twoDigits(),
    reader.twoDigits(),
    reader.twoDigits(),
  ];
  let second = 0;
  let milliseconds = 0;
  // If more than two characters remain, two are seconds. `readOffset` then rejects a `+hhmm` without seconds.
  if (reader.remaining > 2) {
    second = reader.twoDigits();
    if (isGeneralized) milliseconds = readFraction(reader);
  }
  if (month === 0 || day === 0 || month > 12 || day > 31 || hour >= 24 || minute >= 60 || second >= 60) {
    throw new DecodeError("a time is out of range");
  }
  const time = new Date(0);
  time.setUTCFullYear(year, month - 1, day);
  time.setUTCHours(hour, minute, second, milliseconds);
  return time.getTime() + readOffset(reader);
}
