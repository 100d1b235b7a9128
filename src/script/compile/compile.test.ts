import { expect, it } from "vitest";
import { compileScript, MAX_SOURCE_LENGTH } from "./compile.ts";

function errorOf(source: string): string | undefined {
  const result = compileScript(source);
  return result.ok ? undefined : result.error;
}

it("limits the length of sources", () => {
  const comment = (length: number) => `#${"x".repeat(length - "#\ntrue".length)}\ntrue`;
  expect(errorOf(comment(MAX_SOURCE_LENGTH))).toBeUndefined();
  expect(errorOf(comment(MAX_SOURCE_LENGTH + 1))).toBe(
    "Script is too large: 131073 characters > 131072 characters",
  );
});

it("fails in linear time for sources that cannot be parsed", () => {
  // A backtracking parser would never finish these.
  for (const opening of ["(", "1 + (", "!(", "f(x)[", "if (", "{ (", "a.b["]) {
    expect(errorOf(opening.repeat(3_000)), opening).toBeDefined();
  }
});

it("gives a case variable the type of the case and restores the outer variable after the match", () => {
  expect(
    errorOf("match tx { case tx: TransferTransaction => tx.amount > 0 case _ => tx.fee > 0 }"),
  ).toBeUndefined();
  expect(
    errorOf("(match tx { case tx: LeaseTransaction => tx.amount case _ => 0 }) + tx.amount == 1"),
  ).toMatch(/^Compilation failed: Undefined field `amount`/);
  expect(errorOf("{ let a = 1; a } == a")).toBe(
    "Compilation failed: A definition of 'a' is not found in 20-21",
  );
});
