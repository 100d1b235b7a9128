import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { onNpmEnded } from "./npm.ts";

const throughNpm = { npm_lifecycle_event: "start", npm_package_name: "holdfast" };
let stop: () => void;
let calls: number;

beforeEach(() => {
  calls = 0;
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "hrtime"] });
  stop = onNpmEnded(throughNpm, () => {
    calls++;
  });
});
afterEach(() => {
  stop();
  vi.useRealTimers();
  vi.restoreAllMocks();
});

function npmEnds(): void {
  vi.spyOn(process, "ppid", "get").mockReturnValue(1);
  vi.advanceTimersByTime(1_000);
}

test("the end of npm is reported once", () => {
  npmEnds();
  vi.advanceTimersByTime(5_000);
  expect(calls).toBe(1);
});

test("the end of npm after its terminal was closed is not reported", () => {
  process.emit("SIGHUP");
  npmEnds();
  vi.advanceTimersByTime(60_000);
  expect(calls).toBe(0);
});

test("the end of npm long after a SIGHUP is reported", () => {
  process.emit("SIGHUP");
  vi.advanceTimersByTime(10_000);
  npmEnds();
  expect(calls).toBe(1);
});
