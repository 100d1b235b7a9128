import { expect, test } from "vitest";
import { compileScript } from "../../script/index.ts";
import { describeScript } from "./script-tree.ts";

test("describes a script with its cost, and no invalid bytes", () => {
  const compiled = compileScript("height > 3");
  if (!compiled.ok) throw new Error(compiled.error);
  const { bytes, complexity } = compiled.value;
  const described = describeScript(bytes);
  expect(described?.cost).toBe(complexity);
  expect(described?.lines).toHaveLength(1);
  for (const wrong of [new Uint8Array(0), Uint8Array.of(1, 2, 3), bytes.subarray(0, 9)])
    expect(describeScript(wrong)).toBeUndefined();
});
