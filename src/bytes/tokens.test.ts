import { expect, test } from "vitest";
import { tokenText } from "./tokens.ts";

test.each([
  [0n, "0"],
  [1n, "0.00000001"],
  [100_000_000n, "1"],
  [125_050_000_000n, "1,250.5"],
  [100_000_000_000_000n, "1,000,000"],
  [99_999_999_999n, "999.99999999"],
  [-250_000_000n, "-2.5"],
  [2n ** 63n - 1n, "92,233,720,368.54775807"],
])("%d units are %s tokens", (units, text) => {
  expect(tokenText(units)).toBe(text);
});
