import { durationText, SECOND } from "../../bytes/durations.ts";

/** `12,345` */
export function numberText(value: number | bigint): string {
  return value.toLocaleString("en");
}

/** `12 s ago`, `just now`, `in 2 min` */
export function ageText(atMs: number, nowMs: number): string {
  const ms = nowMs - atMs;
  if (Math.abs(ms) < SECOND) return "just now";
  return ms > 0 ? `${durationText(ms)} ago` : `in ${durationText(-ms)}`;
}

/** Limit of `Date`, ms. */
const MAX_DATE = 8.64e15;

/** Formats ISO 8601 in UTC; undefined if out of range, as transaction times can be. */
export function isoText(ms: bigint): string | undefined {
  if (ms > BigInt(MAX_DATE) || ms < -BigInt(MAX_DATE)) return undefined;
  return new Date(Number(ms)).toISOString();
}

const dateAndTime = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "medium" });

/** Formats a local time; milliseconds if out of range. */
export function timeText(ms: bigint): string {
  return isoText(ms) === undefined ? `${ms} ms` : dateAndTime.format(new Date(Number(ms)));
}

/** UTC day as in the statistics routes: `2026-11-23`. */
export function utcDay(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

const sizes = ["bytes", "kB", "MB", "GB", "TB"];

/** `512 bytes`, `1.4 MB`, in steps of 1,000 */
export function sizeText(bytes: number): string {
  let value = Number.isFinite(bytes) ? Math.max(0, bytes) : 0;
  let step = 0;
  // Values that round to 1,000 use the next unit.
  while (step < sizes.length - 1 && (step === 0 ? value >= 1_000 : value >= 999.5)) {
    value /= 1_000;
    step++;
  }
  if (step === 0) return value === 1 ? "1 byte" : `${Math.floor(value)} bytes`;
  return `${value.toFixed(value < 99.95 ? 1 : 0)} ${sizes[step]}`;
}

/** `1 block`, `12,345 blocks`. @param many the plural, unless it only adds an s */
export function countText(count: number | bigint, one: string, many = `${one}s`): string {
  return `${numberText(count)} ${Number(count) === 1 ? one : many}`;
}

/** `1 byte`, `1,200 bytes` */
export function byteCount(count: number): string {
  return countText(count, "byte");
}

/** `12 %`; with one decimal below 10 %. */
export function percentText(share: number): string {
  return `${(100 * share).toFixed(share > 0 && share < 0.1 ? 1 : 0)} %`;
}

/** Effect of a fee vote. */
export const FEE_VOTES = { INCREASE: "higher", MAINTAIN: "unchanged", DECREASE: "lower" } as const;
