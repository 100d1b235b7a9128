import { describe, expect, test } from "vitest";
import { hasVectors, loadVectors } from "../../test/vectors.ts";
import {
  lockedSupplyAt,
  mainnetLockedSupply,
  monthNames,
  noLockedSupply,
  parseLockedSupply,
} from "./locked-supply.ts";

describe("locked supply", () => {
  test.skipIf(!hasVectors("index-routes.json"))("is that of the vectors, month by month", () => {
    const { lockedSupply, supplyVectors } = loadVectors<{
      readonly lockedSupply: Readonly<Record<string, Readonly<Record<string, bigint>>>>;
      readonly supplyVectors: readonly {
        readonly burnedFees: bigint;
        readonly month: string;
        readonly circulating: string;
        readonly max: string;
      }[];
    }>("index-routes.json");
    const years = Object.entries(lockedSupply);
    expect(years.length).toBeGreaterThan(0);
    for (const [year, months] of years)
      for (const [month, tokens] of Object.entries(months)) {
        const time = Date.UTC(Number(year), monthNames.indexOf(month), 15);
        expect(BigInt(lockedSupplyAt(mainnetLockedSupply, time)), `${month} ${year}`).toBe(BigInt(tokens));
      }
    for (const { month, burnedFees, circulating, max } of supplyVectors) {
      const locked = lockedSupplyAt(mainnetLockedSupply, Date.parse(`${month}-01`));
      expect(Number(max) - Number(burnedFees) - locked).toBe(Number(circulating));
    }
  });

  test("uses the last known month for a missing one", () => {
    const table = parseLockedSupply('{"2024":{"mar":5,"jun":7},"2026":{"feb":9}}');
    const at = (year: number, month: number) => lockedSupplyAt(table, Date.UTC(year, month, 28));
    expect([at(2023, 5), at(2024, 1), at(2024, 2), at(2024, 4), at(2024, 11)]).toEqual([0, 0, 5, 5, 7]);
    expect([at(2025, 6), at(2026, 0), at(2026, 1), at(2040, 0)]).toEqual([7, 7, 9, 9]);
    expect(lockedSupplyAt(mainnetLockedSupply, Date.UTC(2031, 0, 1))).toBe(403_398_109);
    expect(lockedSupplyAt(noLockedSupply, 0)).toBe(0);
  });

  test.each([
    ["[]", "object of years"],
    ["{", "not valid JSON"],
    ['{"12":{}}', "Invalid year '12'"],
    ['{"2024":5}', "object of months"],
    ['{"2024":{"march":5}}', "Invalid month 'march'"],
    ['{"2024":{"mar":-5}}', "whole number"],
    ['{"2024":{"mar":"5"}}', "whole number"],
  ])("%s is rejected", (text, problem) => {
    expect(() => parseLockedSupply(text)).toThrow(problem);
  });
});
