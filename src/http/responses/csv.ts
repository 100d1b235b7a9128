/** Prints rows as CSV (RFC 4180). */
import { type JsonOut, printJson } from "../../bytes/json.ts";

/** Spreadsheets treat a text with this start as a formula, or as the next cell's content. */
const FORMULA = /^[=+\-@\t\r]/;
const NEEDS_QUOTES = /[",\r\n]|^\s|\s$/;

/** Disables formulas, because any account can choose texts. Numbers keep their sign; lists and objects are JSON. */
export function csvField(value: JsonOut): string {
  if (value === undefined || value === null) return "";
  if (typeof value === "number" || typeof value === "bigint" || typeof value === "boolean")
    return String(value);
  const plain = typeof value === "string" ? value : printJson(value);
  const text = FORMULA.test(plain) ? `'${plain}` : plain;
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export function* csvLines(
  columns: readonly string[],
  rows: Iterable<Readonly<Record<string, JsonOut>>>,
): Generator<string> {
  yield `${columns.map(csvField).join(",")}\r\n`;
  for (const row of rows) yield `${columns.map((name) => csvField(row[name])).join(",")}\r\n`;
}
