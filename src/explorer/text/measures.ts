import { durationText, SECOND } from "../../bytes/durations.ts";

/** Returns for example `12,345`. */
export function numberText(value: number | bigint): string {
  return value.toLocaleString("en");
}

/** Returns for example `12 s ago`, `just now` or `in 2 min`. */
export function ageText(atMs: number, nowMs: number): string {
  const ms = nowMs - atMs;
  if (Math.abs(ms) < SECOND) return "just now";
  return ms > 0 ? `${durationText(ms)} ago` : `in ${durationText(-ms)}`;
}

/** Latest time of a `Date`, ms since 1970. */
const MAX_DATE_MS = 8.64e15;

/** Returns ISO 8601 in UTC, or undefined if the time is out of range. */
export function isoText(ms: bigint): string | undefined {
  if (ms > BigInt(MAX_DATE_MS) || ms < -BigInt(MAX_DATE_MS)) return undefined;
  return new Date(Number(ms)).toISOString();
}

const dateAndTime = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "medium" });

/** Returns the local time, or milliseconds if the time is out of range. */
export function timeText(ms: bigint): string {
  return isoText(ms) === undefined ? `${ms} ms` : dateAndTime.format(new Date(Number(ms)));
}

/** Returns for example `2026-11-23`, like the statistics routes. */
export function utcDay(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

const sizes = ["bytes", "kB", "MB", "GB", "TB"];

/** Uses decimal units: `512 bytes`, `1.4 MB`. */
export function sizeText(bytes: number): string {
  let value = Number.isFinite(bytes) ? Math.max(0, bytes) : 0;
  let step = 0;
  // A value that would be rounded to 1,000 uses the next unit.
  while (step < sizes.length - 1 && (step === 0 ? value >= 1_000 : value >= 999.5)) {
    value /= 1_000;
    step++;
  }
  if (step === 0) return value === 1 ? "1 byte" : `${Math.floor(value)} bytes`;
  return `${value.toFixed(value < 99.95 ? 1 : 0)} ${sizes[step]}`;
}

/** Returns for example `1 block` or `12,345 blocks`. */
export function countText(count: number | bigint, singular: string, plural = `${singular}s`): string {
  return `${numberText(count)} ${Number(count) === 1 ? singular : plural}`;
}

export function byteCount(count: number): string {
  return countText(count, "byte");
}

/** Returns for example `12 %`, with one decimal below 10 %. @param share 0 to 1 */
export function percentText(share: number): string {
  return `${(100 * share).toFixed(share > 0 && share < 0.1 ? 1 : 0)} %`;
}

export const FEE_VOTES = { INCREASE: "higher", MAINTAIN: "unchanged", DECREASE: "lower" } as const;
