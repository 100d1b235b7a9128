import { DAY, exactDuration, MINUTE } from "../../bytes/durations.ts";
import { ProfileError, parseDuration } from "../../profiles/index.ts";
import { type Kind, refuse } from "./kinds.ts";

export { DAY, MINUTE };

function durationOrNaN(value: unknown): number {
  try {
    return parseDuration(String(value));
  } catch (error) {
    if (error instanceof ProfileError) return Number.NaN;
    throw error;
  }
}

/** A duration in ms, written as ms or with a unit: `60s`, `30 minutes`. Page 03 §17. */
export function duration(from: number, to: number): Kind<number> {
  const expects = `a duration such as 100ms, 60s, 90m, 2h or 30d from ${exactDuration(from)} to ${exactDuration(to)}`;
  return {
    expects,
    placeholder: "DURATION",
    read: (value) => {
      const milliseconds = durationOrNaN(value);
      return milliseconds >= from && milliseconds <= to ? milliseconds : refuse(expects, value);
    },
    write: exactDuration,
  };
}

export const residenceTime = duration(1_000, 365 * DAY);

const SIZE_UNITS: readonly (readonly [string, number])[] = [
  ["GiB", 2 ** 30],
  ["MiB", 2 ** 20],
  ["KiB", 2 ** 10],
];

/** As in the reference, `M` means `MiB`, and `MB` means a million. */
const BYTES_OF_UNIT: ReadonlyMap<string, number> = new Map([
  ["", 1],
  ["b", 1],
  ...SIZE_UNITS.flatMap(([unit, factor]): [string, number][] => [
    [unit.toLowerCase(), factor],
    [unit[0].toLowerCase(), factor],
  ]),
  ["kb", 1_000],
  ["mb", 1_000_000],
  ["gb", 1_000_000_000],
]);

/** A size in bytes, written as bytes or with a unit: `64MiB`, `512KiB`. */
export function size(from: number, to: number): Kind<number> {
  const write = (bytes: number): string | number => {
    const unit = SIZE_UNITS.find(([, factor]) => bytes >= factor && bytes % factor === 0);
    return unit === undefined ? bytes : `${bytes / unit[1]}${unit[0]}`;
  };
  const expects = `a size such as 512KiB, 64MiB or 1GiB from ${write(from)} to ${write(to)}`;
  return {
    expects,
    placeholder: "SIZE",
    read: (value) => {
      const match = /^([0-9]{1,15}) ?([a-z]*)$/i.exec(String(value));
      const factor = BYTES_OF_UNIT.get(match?.[2].toLowerCase() ?? "") ?? Number.NaN;
      const bytes = match === null ? Number.NaN : Number(match[1]) * factor;
      return bytes >= from && bytes <= to ? bytes : refuse(expects, value);
    },
    write,
  };
}
