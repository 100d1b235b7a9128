import { describe, expect, test } from "vitest";
import { percentText } from "../text/text.ts";
import { csvOf, stackedValues } from "./charts/plot.tsx";
import { largestShares } from "./charts/ring.tsx";
import { bandsOf } from "./charts/strip.tsx";
import { pausedRows } from "./lists/pausable-list.tsx";

describe("bands of a block", () => {
  const block = { height: 5, id: "id", generator: "3N", timestamp: 0n, liquid: true };
  const micro = (id: string, transactionCount: number) => ({ id, transactionCount });

  test("show its micro blocks in order, after the transactions outside them", () => {
    const microBlocks = [micro("a", 5), micro("empty", 0), micro("b", 10)];
    expect(bandsOf({ ...block, transactionCount: 20, microBlocks }, 40)).toEqual([
      { key: "id", from: 0, width: 12.5 },
      { key: "a", from: 12.5, width: 12.5 },
      { key: "b", from: 25, width: 25 },
    ]);
  });

  test("are missing for an empty block", () => {
    expect(bandsOf({ ...block, transactionCount: 0, microBlocks: [] }, 20)).toEqual([]);
  });
});

describe("a paused list", () => {
  const row = (id: string, state = "") => ({ id, state });
  const keyOf = ({ id }: { readonly id: string }): string => id;

  test("keeps and updates its rows, and counts new ones", () => {
    const shown = [row("b"), row("a")];
    expect(pausedRows(shown, [row("d"), row("c"), row("b", "in a block"), row("a")], keyOf)).toEqual({
      rows: [row("b", "in a block"), row("a")],
      newCount: 2,
    });
  });

  test("keeps rows that have left the live list", () => {
    expect(pausedRows([row("a")], [row("c")], keyOf)).toEqual({ rows: [row("a")], newCount: 1 });
  });
});

describe("shares of a ring", () => {
  const share = (key: string, ...parts: number[]) => ({ key, label: key, parts });

  test("are sorted, and the smallest are merged if there are more than six", () => {
    const shares = largestShares([1, 2, 3, 4, 5, 6, 7].map((part) => share(String(part), part, 10 * part)));
    expect(shares.map(({ key }) => key)).toEqual(["7", "6", "5", "4", "3", "others"]);
    expect(shares.at(-1)).toEqual({ key: "others", label: "2 others", parts: [3, 30] });
  });

  test("are not merged if each has a colour", () => {
    expect(largestShares([share("a", 1), share("b", 2)]).map(({ key }) => key)).toEqual(["b", "a"]);
  });

  test.each([
    [0, "0 %"],
    [0.0004, "0.0 %"],
    [0.0123, "1.2 %"],
    [0.5, "50 %"],
    [1, "100 %"],
  ])("%d is %s", (part, text) => {
    expect(percentText(part)).toBe(text);
  });
});

test("stacks bars on the bars of the previous series, but not lines", () => {
  const heights = stackedValues([
    { name: "a", label: "a", shape: "bars", values: [1, 2, null] },
    { name: "b", label: "b", shape: "bars", values: [10, null, 5] },
    { name: "c", label: "c", shape: "line", values: [3, null, 3] },
  ]);
  expect(heights).toEqual([
    [1, 2, 0],
    [11, 2, 5],
    [3, null, 3],
  ]);
});

test("a plot's file has exactly its values", () => {
  const times = [Date.UTC(2026, 2, 1), Date.UTC(2026, 2, 2)];
  const series = [
    { name: "in", label: "In", shape: "line" as const, values: [123_456_789_012n, null] },
    { name: "out", label: "Out", shape: "line" as const, values: [5n, -1n] },
  ];
  expect(csvOf({ times, series, unit: "tokens", utc: true })).toBe(
    "time,in,out\n2026-03-01,1234.56789012,0.00000005\n2026-03-02,,-0.00000001\n",
  );
  expect(csvOf({ times: [1_500], series: [{ ...series[1], values: [90.5] }], unit: "seconds" })).toBe(
    "time,out\n1970-01-01T00:00:01.500Z,90.5\n",
  );
});
