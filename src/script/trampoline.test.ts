import { expect, it } from "vitest";
import { runTask, type Task } from "./trampoline.ts";

function* sum(n: number): Task<number> {
  return n === 0 ? 0 : n + (yield sum(n - 1));
}

function* failing(n: number): Task<number> {
  if (n === 0) throw new Error("deep");
  return yield failing(n - 1);
}

it("recurses deeper than any host stack", () => {
  expect(runTask(sum(1_000_000))).toBe(500_000_500_000);
});

it("throws an error through the waiting tasks", () => {
  expect(() => runTask(failing(100_000))).toThrow("deep");
  expect(() => runTask(failing(0))).toThrow("deep");
});

it("continues in a task that catches the error, which may throw another", () => {
  function* catching(): Task<number> {
    try {
      return yield failing(10);
    } catch {
      return (yield sum(3)) + 1;
    }
  }
  function* renaming(): Task<number> {
    try {
      return yield failing(10);
    } catch (error) {
      throw new Error(`renamed ${(error as Error).message}`);
    }
  }
  function* both(): Task<number> {
    const caught = yield catching();
    try {
      return yield renaming();
    } catch (error) {
      return caught + (error as Error).message.length;
    }
  }
  expect(runTask(both())).toBe(7 + "renamed deep".length);
});
