/** Times, ages, sizes and counts in words. The time that it is now is handed in. */
import { durationText, SECOND } from "../../bytes/durations.ts";

/** A number with its thousands apart: `12,345`. */
export function numberText(value: number | bigint): string {
  return value.toLocaleString("en");
}

/** How long ago something was: `12 s ago`, `just now`; `in 2 min` for what is to come. */
export function ageText(atMs: number, nowMs: number): string {
  const ms = nowMs - atMs;
  if (Math.abs(ms) < SECOND) return "just now";
  return ms > 0 ? `${durationText(ms)} ago` : `in ${durationText(-ms)}`;
}

/** The furthest that a calendar reaches, ms. */
const MAX_DATE = 8.64e15;

/** A time in UTC as ISO 8601 has it; undefined for what no calendar has, as times of transactions may be. */
export function isoText(ms: bigint): string | undefined {
  if (ms > BigInt(MAX_DATE) || ms < -BigInt(MAX_DATE)) return undefined;
  return new Date(Number(ms)).toISOString();
}

const dateAndTime = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "medium" });

/** A time in the zone of whoever looks; as the number that it is where no calendar has it. */
export function timeText(ms: bigint): string {
  return isoText(ms) === undefined ? `${ms} ms` : dateAndTime.format(new Date(Number(ms)));
}

/** The day of a time in UTC, as routes of statistics ask for it: `2026-11-23`. */
export function utcDay(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

const sizes = ["bytes", "kB", "MB", "GB", "TB"];

/** A size: `512 bytes`, `1.4 MB`, by steps of 1,000. */
export function sizeText(bytes: number): string {
  let value = Number.isFinite(bytes) ? Math.max(0, bytes) : 0;
  let step = 0;
  // What would be rounded to 1,000 is one of the next step.
  while (step < sizes.length - 1 && (step === 0 ? value >= 1_000 : value >= 999.5)) {
    value /= 1_000;
    step++;
  }
  if (step === 0) return value === 1 ? "1 byte" : `${Math.floor(value)} bytes`;
  return `${value.toFixed(value < 99.95 ? 1 : 0)} ${sizes[step]}`;
}

/** How many there are: `1 block`, `12,345 blocks`. @param many where it is not the word with an s */
export function countText(count: number | bigint, one: string, many = `${one}s`): string {
  return `${numberText(count)} ${Number(count) === 1 ? one : many}`;
}

/** A size to the byte: `1 byte`, `1,200 bytes`. */
export function byteCount(count: number): string {
  return countText(count, "byte");
}

/** A share of one: `12 %`; with a decimal below a tenth, where that is more than nothing. */
export function percentText(share: number): string {
  return `${(100 * share).toFixed(share > 0 && share < 0.1 ? 1 : 0)} %`;
}

/** What fees become by a vote. */
export const FEE_VOTES = { INCREASE: "higher", MAINTAIN: "as it is", DECREASE: "lower" } as const;
