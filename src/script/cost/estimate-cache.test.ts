import { expect, test, vi } from "vitest";
import { ScriptParseError } from "../errors.ts";
import { type Estimate, EstimateCache } from "./estimate-cache.ts";

const script = (i: number): Uint8Array => Uint8Array.of(i >> 8, i & 255);

test("computes a slow estimate once, whether it is a cost or an error", () => {
  const known = new EstimateCache();
  const refusal = new ScriptParseError("Script is too complex");
  const find = vi.fn<() => Estimate>().mockReturnValueOnce(7).mockReturnValueOnce(refusal);
  for (let i = 0; i < 2; i++) {
    expect(known.getOrCompute(script(1), find)).toBe(7);
    expect(known.getOrCompute(script(2), find)).toBe(refusal);
  }
  expect(find).toHaveBeenCalledTimes(2);
});

test("evicts the least recently used estimate", () => {
  const known = new EstimateCache();
  const find = vi.fn<() => Estimate>().mockReturnValue(7);
  for (let i = 0; i < 4_096; i++) known.getOrCompute(script(i), find);
  known.getOrCompute(script(0), find);
  known.getOrCompute(script(4_096), find);
  find.mockClear();
  known.getOrCompute(script(0), find);
  known.getOrCompute(script(2), find);
  expect(find).not.toHaveBeenCalled();
  known.getOrCompute(script(1), find);
  expect(find).toHaveBeenCalledOnce();
});
