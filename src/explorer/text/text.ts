import type { ComponentChildren } from "preact";
import { durationText, SECOND } from "../../bytes/durations.ts";

export const commonTexts = {
  account: "Account",
  address: "Address",
  age: "Age",
  amount: "Amount",
  amounts: {
    tooLong: "This amount is too long.",
    notAnAmount: "Enter an amount in digits with a decimal point, such as 1250.5.",
    tooManyDecimals: "An amount has at most 8 decimals.",
    tooLarge: "This amount exceeds the maximum of 92,233,720,368.54775807.",
  },
  balanceKinds: {
    regular: "Regular",
    available: "Available",
    leasedOut: "Leased out",
    unbonding: "Unbonding",
    leasedIn: "Leased in",
    effective: "Effective",
    generating: "Generating",
  },
  baseTarget: "Base target",
  block: "Block",
  bytes: "Bytes",
  cancel: "Cancel",
  data: "Data",
  details: "Details",
  fee: "Fee",
  feePrice: "Fee price",
  forger: "Forger",
  id: "Id",
  key: "Key",
  loading: "Loading…",
  noExpiry: "No expiry",
  none: "none",
  notAvailable: "Not available from this node.",
  showAll: (count: number) => `Show all ${numberText(count)}`,
  since: "Since",
  summary: "Summary",
  time: "Time",
  toOverview: "Go to the overview",
  transaction: "Transaction",
  transactions: "Transactions",
  type: "Type",
  unknown: "unknown",
  until: "Until",
  value: "Value",
};

/** For example `12,345`. */
export const numberText = (value: number | bigint): string => value.toLocaleString("en");

/** For example `12 s ago`, `just now` or `in 2 min`. */
export function ageText(atMs: number, nowMs: number): string {
  const ms = nowMs - atMs;
  if (Math.abs(ms) < SECOND) return "just now";
  return ms > 0 ? `${durationText(ms)} ago` : `in ${durationText(-ms)}`;
}

/** Latest time of a `Date`, ms since 1970. */
const MAX_DATE_MS = 8.64e15;

/** ISO 8601 in UTC; undefined if the time is out of range. */
export function isoText(ms: bigint): string | undefined {
  if (ms > BigInt(MAX_DATE_MS) || ms < -BigInt(MAX_DATE_MS)) return undefined;
  return new Date(Number(ms)).toISOString();
}

const dateAndTime = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "medium" });

export function timeText(ms: bigint): string {
  return isoText(ms) === undefined ? `${ms} ms` : dateAndTime.format(new Date(Number(ms)));
}

/** For example `2026-11-23`, like the statistics routes. */
export const utcDay = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

const sizes = ["bytes", "kB", "MB", "GB", "TB"];

/** Decimal units: `512 bytes`, `1.4 MB`. */
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

/** For example `1 block` or `12,345 blocks`. */
export function countText(count: number | bigint, singular: string, plural = `${singular}s`): string {
  return `${numberText(count)} ${Number(count) === 1 ? singular : plural}`;
}

export const byteCount = (count: number): string => countText(count, "byte");

/** For example `12 %`, with one decimal below 10 %. @param share 0 to 1 */
export function percentText(share: number): string {
  return `${(100 * share).toFixed(share > 0 && share < 0.1 ? 1 : 0)} %`;
}

export const FEE_VOTES = { INCREASE: "higher", MAINTAIN: "unchanged", DECREASE: "lower" } as const;

/** Replaces each `{name}` in a text by a value. */
export function fill(
  text: string,
  values: Readonly<Record<string, ComponentChildren>>,
): readonly ComponentChildren[] {
  return text.split(/\{(\w+)\}/).map((piece, i) => (i % 2 === 0 ? piece : values[piece]));
}

/**
 * Control characters except line feed and tab, direction changes, invisible characters, lone surrogates and
 * noncharacters.
 */
const INVISIBLE =
  /(?!\n|\t|(?<=\p{Extended_Pictographic})\ufe0f|(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}]|\ufe0f)\u200d(?=\p{Extended_Pictographic}))[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}]/gu;

const codePointText = (character: string): string =>
  `⟨U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}⟩`;

/** Replaces invisible characters by their code points: `a⟨U+202E⟩b`. */
export const revealInvisible = (text: string): string => text.replace(INVISIBLE, codePointText);

/** Captures the first four combining marks of a character with more. */
const STACKED_MARKS = /(\p{M}{4})\p{M}+/gu;

/** Does not split a surrogate pair. @param maxLength in UTF-16 units */
export function truncate(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const code = text.charCodeAt(maxLength - 1);
  return text.slice(0, code >= 0xd800 && code <= 0xdbff ? maxLength - 1 : maxLength);
}

/** Prepares untrusted text for display. */
export const displayText = (text: string): string => revealInvisible(text).replace(STACKED_MARKS, "$1");
