import { describe, expect, test } from "vitest";
import { counter, gauge, histogram, MetricsRegistry, metricsText, readOncePerTurn } from "./metrics.ts";

const requests = counter("requests_total", "Requests.", { route: { max: 2 }, status: ["2xx", "5xx"] });
const size = gauge("size_bytes", "Size.");
const duration = histogram("duration_seconds", "Duration.", [0.1, 1], { kind: ["read"] });

const lines = async (...registries: MetricsRegistry[]): Promise<readonly string[]> => {
  const text = await metricsText(registries.flatMap((registry) => [...registry.samples()]));
  return text.split("\n").filter((line) => line !== "" && !line.startsWith("# HELP"));
};

describe("the metrics registry", () => {
  test("prints counters, gauges and histograms in the format of Prometheus", async () => {
    const registry = new MetricsRegistry();
    registry.counter(requests, { route: "/blocks", status: "2xx" }).add();
    registry.counter(requests, { route: "/blocks", status: "2xx" }).add(2);
    registry.observe(size, () => 7);
    const series = registry.histogram(duration, { kind: "read" });
    for (const value of [0.1, 0.5, 3]) series.record(value);
    expect(await lines(registry)).toEqual([
      "# TYPE requests_total counter",
      'requests_total{route="/blocks",status="2xx"} 3',
      "# TYPE size_bytes gauge",
      "size_bytes 7",
      "# TYPE duration_seconds histogram",
      'duration_seconds_bucket{kind="read",le="0.1"} 1',
      'duration_seconds_bucket{kind="read",le="1"} 2',
      'duration_seconds_bucket{kind="read",le="+Inf"} 3',
      'duration_seconds_sum{kind="read"} 3.6',
      'duration_seconds_count{kind="read"} 3',
    ]);
  });

  test("adds equal series of several threads", async () => {
    const threads = [new MetricsRegistry(), new MetricsRegistry()];
    for (const registry of threads) registry.counter(requests, { route: "/a", status: "5xx" }).add(4);
    expect(await lines(...threads)).toContain('requests_total{route="/a",status="5xx"} 8');
  });

  test("counts values above the cap of a label as other", async () => {
    const registry = new MetricsRegistry();
    for (const route of ["/a", "/b", "/c", "/d", "/a"])
      registry.counter(requests, { route, status: "2xx" }).add();
    expect(await lines(registry)).toEqual([
      "# TYPE requests_total counter",
      'requests_total{route="/a",status="2xx"} 2',
      'requests_total{route="/b",status="2xx"} 1',
      'requests_total{route="other",status="2xx"} 2',
    ]);
  });

  test("starts declared series at zero, except those of capped labels", async () => {
    const registry = new MetricsRegistry();
    registry.declare([requests, size, counter("due_total", "Due.", { reason: ["a", "b"] })]);
    expect(await lines(registry)).toEqual([
      "# TYPE due_total counter",
      'due_total{reason="a"} 0',
      'due_total{reason="b"} 0',
    ]);
  });

  test("shows an observed value until the observation ends, and no series while it is undefined", async () => {
    const registry = new MetricsRegistry();
    let value: number | undefined = 1;
    const end = registry.observe(size, () => value);
    expect(await lines(registry)).toContain("size_bytes 1");
    value = undefined;
    expect(await lines(registry)).toEqual([]);
    value = 2;
    end();
    expect(await lines(registry)).toEqual([]);
  });
});

test("a reader of several metrics reads once per collection", async () => {
  const registry = new MetricsRegistry();
  let reads = 0;
  const read = readOncePerTurn(() => ++reads);
  registry.observe(size, read);
  registry.observe(gauge("count", "Count."), read);
  expect(await lines(registry)).toEqual(expect.arrayContaining(["size_bytes 1", "count 1"]));
  expect(await lines(registry)).toEqual(expect.arrayContaining(["size_bytes 2", "count 2"]));
});
