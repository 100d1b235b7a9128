import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { MetricDefinition } from "../../runtime/metrics.ts";
import { allMetrics } from "./all.ts";

/** Bound of the series that one node exposes. */
const MAX_SERIES = 2_000;

const definitions = allMetrics.flatMap(({ metrics }) => metrics);

/** Returns the greatest number of series of a metric; a histogram has its buckets, `+Inf`, sum and count for each. */
function maxSeries(definition: MetricDefinition): number {
  const combinations = Object.values(definition.labels).reduce(
    (product, values) => product * ("max" in values ? values.max + 1 : values.length),
    1,
  );
  return definition.type === "histogram" ? combinations * (definition.buckets.length + 3) : combinations;
}

const total = definitions.reduce((sum, definition) => sum + maxSeries(definition), 0);

const page = join(import.meta.dirname, "../../../docs/metrics.md");

const introduction = `# Metrics

This page lists every metric of \`--metrics-port\`. A test generates it from the definitions in the code (\`npx vitest run src/node/metrics/all.test.ts --update\`). [monitor.md](monitor.md#metrics) describes how to collect them. Labels have fixed or bounded values, never addresses, peers or paths; a node has at most ${total} series. Counters start at zero when the node starts. A *unit* is a key block or a micro block.
`;

function labelText([name, values]: readonly [string, MetricDefinition["labels"][string]]): string {
  return "max" in values ? `\`${name}\`` : `\`${name}\`: ${values.join(", ")}`;
}

function row({ name, type, help, labels }: MetricDefinition): string {
  const cells = [`\`${name}\``, type, Object.entries(labels).map(labelText).join("; "), help];
  return `| ${cells.join(" | ")} |`;
}

function metricsMarkdown(): string {
  const sections = allMetrics.map(({ title, metrics }) =>
    [`## ${title}`, "", "| Metric | Type | Labels | Meaning |", "| --- | --- | --- | --- |"]
      .concat(metrics.map(row))
      .join("\n"),
  );
  return `${introduction}\n${sections.join("\n\n")}\n`;
}

describe("the metrics of the node", () => {
  test("have unique names of Prometheus, with base units", () => {
    const names = definitions.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) expect(name).toMatch(/^(holdfast|process)_[a-z0-9_]+$/);
    for (const name of names)
      expect(name).not.toMatch(/_(ms|milliseconds|minutes|kilobytes|mb|percent)(_|$)/);
  });

  test("name counters, and only counters, by the suffix _total", () => {
    for (const { name, type } of definitions) expect(name.endsWith("_total"), name).toBe(type === "counter");
  });

  test("use no label that Prometheus reserves for histograms and summaries", () => {
    for (const { name, labels } of definitions)
      expect(Object.keys(labels), name).not.toEqual(
        expect.arrayContaining([expect.stringMatching(/^(le|quantile)$/)]),
      );
  });

  test("explain themselves in whole sentences", () => {
    for (const { name, help } of definitions) expect(help, name).toMatch(/^[A-Z].*\.$/);
  });

  test(`have at most ${MAX_SERIES} series, with closed or capped labels only`, () => {
    expect(total).toBeLessThanOrEqual(MAX_SERIES);
  });

  test.skipIf(!existsSync(page))("are docs/metrics.md", async () => {
    await expect(metricsMarkdown()).toMatchFileSnapshot(page);
  });
});
