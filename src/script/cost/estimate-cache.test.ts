import { expect, test, vi } from "vitest";
import { ScriptParseError } from "../errors.ts";
import { type Estimate, EstimateCache } from "./estimate-cache.ts";

const script = (i: number): Uint8Array => Uint8Array.of(i >> 8, i & 255);

test("computes a slow estimate once, whether it is a cost or an error", () => {
  const cache = new EstimateCache();
  const error = new ScriptParseError("Script is too complex");
  const compute = vi.fn<() => Estimate>().mockReturnValueOnce(7).mockReturnValueOnce(error);
  for (let i = 0; i < 2; i++) {
    expect(cache.getOrCompute(script(1), compute)).toBe(7);
    expect(cache.getOrCompute(script(2), compute)).toBe(error);
  }
  expect(compute).toHaveBeenCalledTimes(2);
});

test("evicts the least recently used estimate", () => {
  const cache = new EstimateCache();
  const compute = vi.fn<() => Estimate>().mockReturnValue(7);
  for (let i = 0; i < 4_096; i++) cache.getOrCompute(script(i), compute);
  cache.getOrCompute(script(0), compute);
  cache.getOrCompute(script(4_096), compute);
  compute.mockClear();
  cache.getOrCompute(script(0), compute);
  cache.getOrCompute(script(2), compute);
  expect(compute).not.toHaveBeenCalled();
  cache.getOrCompute(script(1), compute);
  expect(compute).toHaveBeenCalledOnce();
});
