const MAX_LENGTH = 2_000;

/** Makes a foreign text safe for a terminal: one line without control characters, at most 2000 characters. */
export function plainText(text: string): string {
  return text.replace(/\p{C}/gu, " ").slice(0, MAX_LENGTH);
}

/** Aligns a table. Every line ends with a line feed. */
export function columns(rows: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const row of rows)
    for (const [i, cell] of row.entries()) widths[i] = Math.max(widths[i] ?? 0, cell.length);
  return rows
    .map(
      (row) =>
        `${row
          .map((cell, i) => cell.padEnd(widths[i]))
          .join("  ")
          .trimEnd()}\n`,
    )
    .join("");
}

const MINUTE_S = 60;
const HOUR_S = 3_600;
const DAY_S = 86_400;

/**
 * Returns `45 s`, `12 min`, `5 h` or `3 d`.
 * @param ms negative counts as 0
 */
export function durationText(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1_000));
  if (seconds < 2 * MINUTE_S) return `${seconds} s`;
  if (seconds < 2 * HOUR_S) return `${Math.floor(seconds / MINUTE_S)} min`;
  return seconds < 2 * DAY_S ? `${Math.floor(seconds / HOUR_S)} h` : `${Math.floor(seconds / DAY_S)} d`;
}

const UNITS = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];

export function sizeText(bytes: number): string {
  const power = bytes < 1_024 ? 0 : Math.min(Math.floor(Math.log2(bytes) / 10), UNITS.length - 1);
  const value = bytes / 1_024 ** power;
  return `${power === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${UNITS[power]}`;
}
