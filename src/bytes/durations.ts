/** Durations are in ms. */
export const SECOND = 1_000;
export const MINUTE: number = 60 * SECOND;
export const HOUR: number = 60 * MINUTE;
export const DAY: number = 24 * HOUR;

/** Longest first. `letter` is the unit in settings. */
const UNITS: readonly { readonly ms: number; readonly word: string; readonly letter?: string }[] = [
  { ms: 365 * DAY, word: "y" },
  { ms: DAY, word: "d", letter: "d" },
  { ms: HOUR, word: "h", letter: "h" },
  { ms: MINUTE, word: "min", letter: "m" },
  { ms: SECOND, word: "s", letter: "s" },
];

/** Formats at most two units: `2 h 5 min`, `12 s`. Negative durations are `0 s`. */
export function durationText(ms: number): string {
  const whole = Number.isFinite(ms) ? Math.max(0, ms) : 0;
  const at = UNITS.findIndex((unit) => whole >= unit.ms);
  if (at < 0) return "0 s";
  const { ms: size, word } = UNITS[at];
  const count = Math.floor(whole / size);
  const smaller = UNITS.at(at + 1);
  const rest = smaller === undefined ? 0 : Math.floor((whole - count * size) / smaller.ms);
  const first = `${count.toLocaleString("en")} ${word}`;
  // From 100 units on, the smaller unit is omitted.
  return smaller === undefined || rest === 0 || count >= 100 ? first : `${first} ${rest} ${smaller.word}`;
}

/** Formats a duration in one unit, for settings: `90m`, `100ms`. */
export function exactDuration(ms: number): string {
  const unit = UNITS.find(({ ms: size, letter }) => letter !== undefined && ms > 0 && ms % size === 0);
  return unit === undefined ? `${ms}ms` : `${ms / unit.ms}${unit.letter}`;
}
