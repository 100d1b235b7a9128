/** Prints rows as CSV (RFC 4180). */
import type { JsonOut } from "../../bytes/json.ts";

/** Spreadsheets treat such a text as a formula, or as the next cell's content. */
const FORMULA = /^[=+\-@\t\r]/;
const NEEDS_QUOTES = /[",\r\n]|^\s|\s$/;

/** Disables formulas in texts, which any account can choose. Numbers keep their sign. */
export function csvField(value: JsonOut): string {
  if (value === undefined || value === null) return "";
  if (typeof value === "number" || typeof value === "bigint" || typeof value === "boolean")
    return String(value);
  if (typeof value !== "string") throw new TypeError("A CSV field must be a text, a number or a boolean");
  const text = FORMULA.test(value) ? `'${value}` : value;
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export function* csvLines(
  columns: readonly string[],
  rows: Iterable<Readonly<Record<string, JsonOut>>>,
): Generator<string> {
  yield `${columns.map(csvField).join(",")}\r\n`;
  for (const row of rows) yield `${columns.map((name) => csvField(row[name])).join(",")}\r\n`;
}
