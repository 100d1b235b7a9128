import { describe, expect, test } from "vitest";
import { mergeEdges, placeGraph } from "./charts/graph-layout.ts";
import { filterRows, mergeFirstPage } from "./lists/long-table.tsx";

describe("a graph", () => {
  const node = (id: string, rank: number) => ({ id, rank });
  test("has centred columns without overlapping boxes", () => {
    const graph = placeGraph([node("a", 0), node("b", 1), node("c", 2), node("d", 2)], []);
    expect(graph.nodes.map(({ x }) => x)).toEqual([8, 378, 748, 748]);
    const [a, , c, d] = graph.nodes;
    expect(a.y).toBe((c.y + d.y) / 2);
    expect(d.y - c.y).toBeGreaterThan(36);
    expect(graph.omittedCount).toBe(0);
  });

  test("merges edges of a pair, and separates opposite ones", () => {
    const edge = (from: string, to: string, label: string) => ({ from, to, label });
    const edges = [
      edge("a", "b", "10"),
      edge("a", "b", "10"),
      edge("b", "a", "7"),
      edge("a", "gone", "1"),
      edge("a", "a", "2"),
    ];
    expect(mergeEdges(edges).map(({ label }) => label)).toEqual(["10 ×2", "7", "1", "2"]);
    const { edges: lines } = placeGraph([node("a", 0), node("b", 1)], edges);
    expect(lines.length).toBe(3);
    expect(lines[0].labelAt.y).not.toBe(lines[1].labelAt.y);
    expect(new Set(lines.map(({ path }) => path)).size).toBe(3);
  });

  test("keeps labels of crossing edges apart", () => {
    const nodes = [node("a", 0), node("b", 0), node("c", 0), node("x", 1), node("y", 1), node("z", 1)];
    const edge = (from: string, to: string) => ({ from, to, label: "role" });
    const { edges } = placeGraph(nodes, [edge("a", "z"), edge("b", "y"), edge("c", "x"), edge("a", "x")]);
    const ys = edges.map(({ labelAt }) => labelAt.y).sort((a, b) => a - b);
    expect(ys).toHaveLength(4);
    for (const [i, y] of ys.slice(1).entries()) expect(y - ys[i]).toBeGreaterThanOrEqual(14);
  });

  test("counts omitted nodes, and can be empty", () => {
    expect(
      placeGraph(
        Array.from({ length: 30 }, (_, i) => node(String(i), 0)),
        [],
      ).omittedCount,
    ).toBe(6);
    expect(placeGraph([], [])).toMatchObject({ nodes: [], edges: [] });
  });
});

describe("a list whose first page is reloaded", () => {
  const page = (rows: string, next?: string) => ({ rows: [...rows], next });
  const renewed = (loaded: ReturnType<typeof page>, first: ReturnType<typeof page>) => {
    const { rows, next } = mergeFirstPage(loaded, first, (row) => row);
    return `${rows.join("")} ${next ?? "-"}`;
  };
  test("keeps the rows after it", () => {
    expect(renewed(page("cba98765", "5"), page("edc", "c"))).toBe("edcba98765 5");
  });
  test("drops reverted rows", () => {
    expect(renewed(page("cba987"), page("zba", "a"))).toBe("zba987 -");
  });
  test("starts again if the pages do not overlap, or the first page is complete", () => {
    expect(renewed(page("cba987"), page("zyx", "x"))).toBe("zyx x");
    expect(renewed(page("cba987"), page("zyx"))).toBe("zyx -");
    expect(renewed(page("cba", "a"), page("dcb", "b"))).toBe("dcba a");
    expect(renewed(page("cba", "a"), page("cba", "z"))).toBe("cba z");
  });
});

test("rows are filtered by any of their values, without hyphens and upper case", () => {
  const rows = [
    { name: "mass-transfer", amount: 12n },
    { name: "lease", amount: 340n },
  ];
  expect(filterRows(rows, " Mass Tr")).toEqual([rows[0]]);
  expect(filterRows(rows, "340")).toEqual([rows[1]]);
  expect(filterRows(rows, "")).toBe(rows);
  expect(filterRows(rows, "nothing")).toEqual([]);
});
