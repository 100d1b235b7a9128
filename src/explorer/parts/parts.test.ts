import { describe, expect, test } from "vitest";
import { mergeEdges, placeGraph } from "./charts/graph-layout.ts";
import { mergeFirstPage, splitPage } from "./lists/long-table.tsx";

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
  const renewed = (pages: readonly ReturnType<typeof page>[], first: ReturnType<typeof page>) =>
    mergeFirstPage(pages, first, (row) => row).map(({ rows, next }) => `${rows.join("")} ${next ?? "-"}`);
  test("keeps the rows after it", () => {
    expect(renewed([page("cba", "a"), page("987", "7"), page("65")], page("edc", "c"))).toEqual([
      "edc c",
      "ba a",
      "987 7",
      "65 -",
    ]);
  });
  test("drops reverted rows", () => {
    expect(renewed([page("cba", "a"), page("987")], page("zba", "a"))).toEqual(["zba a", "987 -"]);
  });
  test("starts again if the pages do not overlap, or the first page is complete", () => {
    expect(renewed([page("cba", "a"), page("987")], page("zyx", "x"))).toEqual(["zyx x"]);
    expect(renewed([page("cba", "a"), page("987")], page("zyx"))).toEqual(["zyx -"]);
    expect(renewed([page("cba", "a")], page("dcb", "b"))).toEqual(["dcb b"]);
  });
});

describe("a page split into batches", () => {
  const rows = (count: number) => Array.from({ length: count }, (_, i) => i);
  test("has the cursor of the next page only in the last batch, and its own cursor before", () => {
    const batches = splitPage({ rows: rows(60), next: "next page" }, "this page");
    expect(batches.map((batch) => [batch.rows.length, batch.next])).toEqual([
      [25, "this page"],
      [25, "this page"],
      [10, "next page"],
    ]);
    expect(batches.flatMap((batch) => batch.rows)).toEqual(rows(60));
  });
  test("is a single batch if it is short or empty", () => {
    expect(splitPage({ rows: rows(25), next: undefined }, "this page")).toEqual([
      { rows: rows(25), next: undefined },
    ]);
    expect(splitPage({ rows: [], next: "next page" }, "this page")).toEqual([
      { rows: [], next: "next page" },
    ]);
  });
});
