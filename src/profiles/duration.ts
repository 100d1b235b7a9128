/** Page 03 §17. */
import { DAY, HOUR, MINUTE, SECOND } from "../bytes/durations.ts";
import { ProfileError } from "./errors.ts";

const UNITS: ReadonlyMap<string, number> = new Map(
  (
    [
      [1e-6, ["ns", "nano", "nanos", "nanosecond", "nanoseconds"]],
      [1e-3, ["us", "micro", "micros", "microsecond", "microseconds"]],
      [1, ["", "ms", "milli", "millis", "millisecond", "milliseconds"]],
      [SECOND, ["s", "second", "seconds"]],
      [MINUTE, ["m", "minute", "minutes"]],
      [HOUR, ["h", "hour", "hours"]],
      [DAY, ["d", "day", "days"]],
    ] as const
  ).flatMap(([factor, names]) => names.map((name) => [name, factor] as const)),
);

const DURATION = /^\s*([+-]?\d+(?:\.\d+)?)\s*([A-Za-z]*)\s*$/;

/** Parses `60s`, `1 minute`, `500ms` into whole milliseconds, truncated. Default unit: ms. @throws ProfileError */
export function parseDuration(text: string): number {
  const match = DURATION.exec(text);
  const factor = match === null ? undefined : UNITS.get(match[2]);
  if (match === null || factor === undefined)
    throw new ProfileError(`Invalid duration '${text}': use a number with ms, s, m, h or d`);
  const milliseconds = Math.trunc(Number(match[1]) * factor);
  if (!Number.isSafeInteger(milliseconds)) throw new ProfileError(`Duration '${text}' is too long`);
  return milliseconds;
}
