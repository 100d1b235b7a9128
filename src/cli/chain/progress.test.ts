import { expect, test } from "vitest";
import { VirtualClock } from "../../testing/virtual-clock.ts";
import type { Io } from "../io.ts";
import { countText } from "../numbers.ts";
import { Progress } from "./progress.ts";

/** Returns the line that an import of 1,234,567 blocks shows after an hour. */
function lineOf(columns: number | undefined): string {
  let text = "";
  const clock = new VirtualClock(0);
  const io: Pick<Io, "err" | "errTerminal"> = {
    err: (line) => {
      text += line;
    },
    errTerminal: columns === undefined ? undefined : { columns },
  };
  // Safe cast: progress only writes to the terminal.
  const progress = new Progress(io as Io, clock, "Importing", "transactions");
  clock.advance(3_600_000);
  progress.show({ done: 500, total: 1_000, count: 400_000_000, height: 1_234_567 });
  return text.replace("\r\x1b[K", "");
}

test("a progress line fits on a terminal of 80 columns, with bar, rate and remaining time", () => {
  expect(lineOf(80)).toMatch(
    /^Importing \[#{6,}-{6,}\] {2}50% {2}height 1,234,567 {2}111,111 tx\/s {2}.* left$/,
  );
  expect(lineOf(80).length).toBeLessThan(80);
  expect(lineOf(200)).toContain(`[${"#".repeat(12)}${"-".repeat(12)}]`);
});

test("a narrow terminal gets no bar before the text is cut", () => {
  expect(lineOf(65)).toMatch(/^Importing {2}50% .* left$/);
  expect(lineOf(40)).toHaveLength(39);
});

test("a log gets the whole line without a bar", () => {
  expect(lineOf(undefined)).toMatch(/^Importing: 50%, height 1,234,567, 111,111 transactions\/s, .* left\n$/);
});

test.each([
  [0, "0 blocks"],
  [1, "1 block"],
  [1_234, "1,234 blocks"],
])("%d is counted in the right number", (number, text) => {
  expect(countText(number, "block")).toBe(text);
});
