import type { ComponentChildren } from "preact";
import { durationText as englishDurationText, SECOND } from "../../bytes/durations.ts";
import { tokenText } from "../../bytes/tokens.ts";
import { LOCALE, language } from "./language.ts";

const WORDS = {
  en: { now: "just now", ago: (age: string) => `${age} ago`, in: "in", hour: "h", year: "y" },
  nl: { now: "zojuist", ago: (age: string) => `${age} geleden`, in: "over", hour: "u", year: "j" },
};
const words = WORDS[language];

/** By the maximum number of decimals. `toLocaleString` would create a formatter in each call. */
const numberFormats = {
  1: new Intl.NumberFormat(LOCALE, { maximumFractionDigits: 1 }),
  3: new Intl.NumberFormat(LOCALE),
};

/** For example `12,345`. @param decimals maximum number of decimals */
export const numberText = (value: number | bigint, decimals: keyof typeof numberFormats = 3): string =>
  numberFormats[decimals].format(value);

export const DECIMAL_MARK = language === "en" ? "." : ",";

/** Swaps the separators of `1,250.5` if the language writes `1.250,5`. */
export const localized = (english: string): string =>
  language === "en" ? english : english.replace(/[.,]/g, (separator) => (separator === "." ? "," : "."));

/** An amount in tokens: `1,250.5`. */
export const amountText = (units: bigint): string => localized(tokenText(units));

/** At most two units: `2 h 5 min`. */
export const durationText = (ms: number): string =>
  localized(englishDurationText(ms)).replace("h", words.hour).replace("y", words.year);

/** For example `12 s ago`, `just now` or `in 2 min`. */
export function ageText(atMs: number, nowMs: number): string {
  const ms = nowMs - atMs;
  if (Math.abs(ms) < SECOND) return words.now;
  return ms > 0 ? words.ago(durationText(ms)) : `${words.in} ${durationText(-ms)}`;
}

/** Latest time of a `Date`, ms since 1970. */
const MAX_DATE_MS = 8.64e15;

/** ISO 8601 in UTC; undefined if the time is out of range. */
export function isoText(ms: bigint): string | undefined {
  if (ms > BigInt(MAX_DATE_MS) || ms < -BigInt(MAX_DATE_MS)) return undefined;
  return new Date(Number(ms)).toISOString();
}

const dateAndTime = new Intl.DateTimeFormat(LOCALE, { dateStyle: "medium", timeStyle: "medium" });

export function timeText(ms: bigint): string {
  return isoText(ms) === undefined ? `${ms} ms` : dateAndTime.format(new Date(Number(ms)));
}

/** For example `2026-11-23`, as in the statistics routes. */
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
  return `${localized(value.toFixed(value < 99.95 ? 1 : 0))} ${sizes[step]}`;
}

/** For example `1 block` or `12,345 blocks`. All languages of the page have these two forms. */
export function countText(count: number | bigint, singular: string, plural = `${singular}s`): string {
  return `${numberText(count)} ${Number(count) === 1 ? singular : plural}`;
}

export const byteCount = (count: number): string => countText(count, "byte");

/** For example `12 %`, with one decimal below 10 %. @param share 0 to 1 */
export function percentText(share: number): string {
  return `${localized((100 * share).toFixed(share > 0 && share < 0.1 ? 1 : 0))} %`;
}

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

/** Shortens a text, but does not split a surrogate pair. @param maxLength in UTF-16 units */
export function truncate(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const code = text.charCodeAt(maxLength - 1);
  return text.slice(0, code >= 0xd800 && code <= 0xdbff ? maxLength - 1 : maxLength);
}

/** Prepares untrusted text for display. */
export const displayText = (text: string): string => revealInvisible(text).replace(STACKED_MARKS, "$1");
