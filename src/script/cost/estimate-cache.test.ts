import { expect, test, vi } from "vitest";
import { ScriptParseError } from "../errors.ts";
import { type Estimate, EstimateCache } from "./estimate-cache.ts";

const script = (i: number): Uint8Array => Uint8Array.of(i >> 8, i & 255);

test("what took long is found once, whether there is a cost or a refusal", () => {
  const known = new EstimateCache();
  const refusal = new ScriptParseError("Script is too complex");
  const find = vi.fn<() => Estimate>().mockReturnValueOnce(7).mockReturnValueOnce(refusal);
  expect([known.getOrCompute(script(1), find), known.getOrCompute(script(2), find)]).toEqual([7, refusal]);
  expect([known.getOrCompute(script(1), find), known.getOrCompute(script(2), find)]).toEqual([7, refusal]);
  expect(find).toHaveBeenCalledTimes(2);
});

test("only so many are known: the one that nobody has asked for is forgotten first", () => {
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
