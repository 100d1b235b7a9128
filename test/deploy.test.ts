/** The dashboards and alerts in `deploy/`. */
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { allMetrics } from "../src/node/metrics/all.ts";
import { dashboardQueries, dashboards } from "./support/dashboards.ts";

const root = join(import.meta.dirname, "..");
const prometheus = join(root, "deploy", "prometheus");

/** Names of all samples, with those of histograms. */
const samples = new Set(
  allMetrics
    .flatMap(({ metrics }) => metrics)
    .flatMap(({ name, type }) =>
      type === "histogram" ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
    ),
);

/** Metrics that Prometheus itself adds to each target. */
const ADDED_BY_PROMETHEUS = new Set(["up"]);

/** Returns the metrics in an expression that no node has. */
function unknownMetrics(expression: string): readonly string[] {
  const names = expression.match(/\b(holdfast|process|up)(_[a-z_]+)?\b(?=[{[ )]|$)/g) ?? [];
  return names.filter((name) => !samples.has(name) && !ADDED_BY_PROMETHEUS.has(name));
}

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly annotations: Readonly<Record<string, string>>;
}

// promtool checks the form of this file.
const rules = (
  parse(readFileSync(join(prometheus, "alerts.yaml"), "utf8")) as {
    groups: readonly { rules: readonly Rule[] }[];
  }
).groups.flatMap((group) => group.rules);

describe("the dashboards", () => {
  test("use only metrics that the node has", () => {
    expect(dashboardQueries(root).length).toBeGreaterThan(50);
    expect(dashboardQueries(root).flatMap(({ expression }) => unknownMetrics(expression))).toEqual([]);
  });

  test("have unique identifiers and panels that do not overlap", () => {
    expect(new Set(dashboards(root).map(({ uid }) => uid)).size).toBe(
      readdirSync(join(root, "deploy", "grafana")).length,
    );
    for (const { panels } of dashboards(root)) {
      expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
      const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
        Array.from({ length: w * h }, (_, i) => `${x + (i % w)},${y + Math.floor(i / w)}`),
      );
      expect(new Set(cells).size).toBe(cells.length);
    }
  });
});

describe("the alerts", () => {
  test("use only metrics that the node has", () => {
    expect(rules.length).toBeGreaterThan(10);
    expect(rules.flatMap(({ expr }) => unknownMetrics(expr))).toEqual([]);
  });

  test("name runbooks that exist", () => {
    const missing = rules
      .map(({ annotations: { runbook } }) => runbook.split("#"))
      .filter(([file, anchor]) => {
        const headings = readFileSync(join(root, file), "utf8").match(/^#+ .+$/gm) ?? [];
        return !headings.some((heading) => anchorOf(heading) === anchor);
      });
    expect(missing).toEqual([]);
  });

  const hasPromtool = spawnSync("promtool", ["--version"]).status === 0;
  // The package `prometheus` of Debian has it.
  test.skipIf(!hasPromtool)("pass the checks and tests of promtool", () => {
    const promtool = (...args: readonly string[]) => {
      const { status, stdout, stderr } = spawnSync("promtool", args, { encoding: "utf8" });
      expect(`${status} ${stdout}${stderr}`).toMatch(/^0 /);
    };
    promtool("check", "rules", join(prometheus, "alerts.yaml"));
    promtool("test", "rules", join(prometheus, "alerts.test.yaml"));
  });
});

/** Returns the anchor that Markdown gives to a heading. */
function anchorOf(heading: string): string {
  return heading
    .replace(/^#+ /, "")
    .toLowerCase()
    .replace(/[^a-z0-9 -]/g, "")
    .replaceAll(" ", "-");
}
