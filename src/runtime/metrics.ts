/** Counts and reports metrics. Only this file imports `prom-client`. */
import type { Registry } from "prom-client";

/** A fixed list, or at most `max` values known only at runtime; others become `other`. */
export type LabelValues = readonly string[] | { readonly max: number };

export type LabelNames = Readonly<Record<string, LabelValues>>;

interface Definition<L extends LabelNames> {
  /** Prometheus name with unit: `holdfast_pool_bytes`. */
  readonly name: string;
  /** One sentence for docs/metrics.md. */
  readonly help: string;
  readonly labels: L;
}

export interface CounterDefinition<L extends LabelNames = LabelNames> extends Definition<L> {
  readonly type: "counter";
}

export interface GaugeDefinition<L extends LabelNames = LabelNames> extends Definition<L> {
  readonly type: "gauge";
  /** Combines the values of threads; default: sum. */
  readonly aggregator?: "max";
}

export interface HistogramDefinition<L extends LabelNames = LabelNames> extends Definition<L> {
  readonly type: "histogram";
  readonly buckets: readonly number[];
}

export type MetricDefinition = CounterDefinition | GaugeDefinition | HistogramDefinition;

type NoLabels = Readonly<Record<never, never>>;

/** @param name ends in `_total` */
export function counter(name: string, help: string): CounterDefinition<NoLabels>;
export function counter<const L extends LabelNames>(
  name: string,
  help: string,
  labels: L,
): CounterDefinition<L>;
export function counter(name: string, help: string, labels: LabelNames = {}): CounterDefinition {
  return { type: "counter", name, help, labels };
}

export function gauge(name: string, help: string): GaugeDefinition<NoLabels>;
export function gauge<const L extends LabelNames>(name: string, help: string, labels: L): GaugeDefinition<L>;
export function gauge(name: string, help: string, labels: LabelNames = {}): GaugeDefinition {
  return { type: "gauge", name, help, labels };
}

export function histogram<const L extends LabelNames>(
  name: string,
  help: string,
  buckets: readonly number[],
  labels: L,
): HistogramDefinition<L> {
  return { type: "histogram", name, help, buckets, labels };
}

export type LabelsOf<L extends LabelNames> = {
  readonly [K in keyof L]: L[K] extends readonly (infer V)[] ? V : string;
};

export interface CounterSeries {
  add(count?: number): void;
}

export interface HistogramSeries {
  record(value: number): void;
}

/** One number, or a number per series; undefined: no series. */
export type Reading<L extends LabelNames> =
  | number
  | undefined
  | readonly (readonly [labels: LabelsOf<L>, value: number])[];

export interface Metrics {
  /** `counter` and `histogram` return the same series for equal labels. */
  counter<L extends LabelNames>(
    definition: CounterDefinition<L>,
    labels: LabelsOf<NoInfer<L>>,
  ): CounterSeries;
  histogram<L extends LabelNames>(
    definition: HistogramDefinition<L>,
    labels: LabelsOf<NoInfer<L>>,
  ): HistogramSeries;
  /**
   * Calls `read` at each scrape. Several observations are combined like the values of threads.
   * @returns a function that ends the observation
   */
  observe<L extends LabelNames, const R extends Reading<L>>(
    definition: GaugeDefinition<L> | CounterDefinition<L>,
    read: () => R,
  ): () => void;
}

export function recordOf<Key extends string, T>(
  keys: readonly Key[],
  make: (key: Key) => T,
): Readonly<Record<Key, T>> {
  // Safe cast: the entries have all keys.
  return Object.fromEntries(keys.map((key) => [key, make(key)])) as Record<Key, T>;
}

/** Returns a function that caches the result of `read` until the current task ends. */
export function readOncePerTurn<T>(read: () => T): () => T {
  let latest: { readonly value: T } | undefined;
  return () => {
    if (latest === undefined) {
      latest = { value: read() };
      queueMicrotask(() => {
        latest = undefined;
      });
    }
    return latest.value;
  };
}

export const noMetrics: Metrics = {
  counter: () => ({ add: () => {} }),
  histogram: () => ({ record: () => {} }),
  observe: () => () => {},
};

interface Sample {
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
  /** Set for `…_bucket`, `…_sum` and `…_count`. */
  readonly metricName?: string;
}

/** A metric's values, in the form that `prom-client` merges. */
export interface MetricSamples {
  readonly name: string;
  readonly help: string;
  readonly type: MetricDefinition["type"];
  readonly aggregator: "sum" | "max";
  readonly values: readonly Sample[];
}

const OTHER = "other";

/** Prints the text format of Prometheus. Combines equal series of several threads. */
export async function metricsText(samples: readonly MetricSamples[]): Promise<string> {
  const { AggregatorRegistry } = await import("prom-client");
  // Safe cast: `MetricSamples` has the members that `aggregate` reads.
  const registry: Registry = AggregatorRegistry.aggregate([samples] as never);
  return registry.metrics();
}

interface Series {
  readonly labels: Readonly<Record<string, string>>;
  samples(name: string): readonly Sample[];
}

class CounterValue implements CounterSeries, Series {
  readonly labels: Readonly<Record<string, string>>;
  #value = 0;

  constructor(labels: Readonly<Record<string, string>>) {
    this.labels = labels;
  }

  add(count = 1): void {
    this.#value += count;
  }

  samples(): readonly Sample[] {
    return [{ labels: this.labels, value: this.#value }];
  }
}

class HistogramBuckets implements HistogramSeries, Series {
  readonly labels: Readonly<Record<string, string>>;
  readonly #bounds: readonly number[];
  /** Counts each value at the first bound that is not below it; the last entry counts values above all bounds. */
  readonly #counts: Float64Array;
  #sum = 0;

  constructor(labels: Readonly<Record<string, string>>, bounds: readonly number[]) {
    this.labels = labels;
    this.#bounds = bounds;
    this.#counts = new Float64Array(bounds.length + 1);
  }

  record(value: number): void {
    let bucket = 0;
    while (bucket < this.#bounds.length && value > this.#bounds[bucket]) bucket++;
    this.#counts[bucket]++;
    this.#sum += value;
  }

  samples(name: string): readonly Sample[] {
    const { labels } = this;
    let count = 0;
    const buckets = [...this.#bounds, "+Inf"].map((le, i) => {
      count += this.#counts[i];
      return { metricName: `${name}_bucket`, labels: { ...labels, le }, value: count };
    });
    return [
      ...buckets,
      { metricName: `${name}_sum`, labels, value: this.#sum },
      { metricName: `${name}_count`, labels, value: count },
    ];
  }
}

interface Metric {
  readonly definition: MetricDefinition;
  readonly series: Map<string, Series>;
  readonly sources: Set<() => Reading<LabelNames>>;
  readonly labelValues: Map<string, Set<string>>;
}

export class MetricsRegistry implements Metrics {
  readonly #metrics = new Map<string, Metric>();

  /** Creates series with fixed label values at zero: Prometheus misses the first increase of a new series. */
  declare(definitions: readonly MetricDefinition[]): void {
    for (const definition of definitions) {
      const combinations = labelCombinations(definition.labels);
      if (definition.type === "counter") for (const labels of combinations) this.counter(definition, labels);
      if (definition.type === "histogram")
        for (const labels of combinations) this.histogram(definition, labels);
    }
  }

  counter<L extends LabelNames>(
    definition: CounterDefinition<L>,
    labels: LabelsOf<NoInfer<L>>,
  ): CounterSeries {
    return this.#series(definition, labels, (capped) => new CounterValue(capped));
  }

  histogram<L extends LabelNames>(
    definition: HistogramDefinition<L>,
    labels: LabelsOf<NoInfer<L>>,
  ): HistogramSeries {
    return this.#series(definition, labels, (capped) => new HistogramBuckets(capped, definition.buckets));
  }

  observe<L extends LabelNames, const R extends Reading<L>>(
    definition: GaugeDefinition<L> | CounterDefinition<L>,
    read: () => R,
  ): () => void {
    const { sources } = this.#metric(definition);
    // Safe cast: the labels are only printed.
    const source = read as () => Reading<LabelNames>;
    sources.add(source);
    return () => {
      sources.delete(source);
    };
  }

  /**
   * Returns all metrics with a series.
   * @throws what a `read` function of `observe` throws
   */
  samples(): readonly MetricSamples[] {
    return [...this.#metrics.values()].flatMap((metric) => {
      const { name, help, type } = metric.definition;
      const values = [
        ...[...metric.series.values()].flatMap((series) => series.samples(name)),
        ...[...metric.sources].flatMap((read) => this.#read(metric, read())),
      ];
      const { aggregator = "sum" } = metric.definition as GaugeDefinition;
      return values.length === 0 ? [] : [{ name, help, type, aggregator, values }];
    });
  }

  #read(metric: Metric, reading: Reading<LabelNames>): readonly Sample[] {
    if (reading === undefined) return [];
    if (typeof reading === "number") return [{ labels: {}, value: reading }];
    return reading.map(([labels, value]) => ({ labels: capLabels(metric, labels), value }));
  }

  #series<S extends Series>(
    definition: MetricDefinition,
    labels: LabelsOf<LabelNames>,
    make: (labels: Readonly<Record<string, string>>) => S,
  ): S {
    const metric = this.#metric(definition);
    const capped = capLabels(metric, labels);
    const key = JSON.stringify(capped);
    const existing = metric.series.get(key);
    // Safe cast: equal definitions create series of one class.
    if (existing !== undefined) return existing as S;
    const series = make(capped);
    metric.series.set(key, series);
    return series;
  }

  #metric(definition: MetricDefinition): Metric {
    const existing = this.#metrics.get(definition.name);
    if (existing !== undefined) return existing;
    const metric = { definition, series: new Map(), sources: new Set<never>(), labelValues: new Map() };
    this.#metrics.set(definition.name, metric);
    return metric;
  }
}

/** Orders labels as defined. Values beyond a label's maximum number become `other`. */
function capLabels(metric: Metric, labels: LabelsOf<LabelNames>): Readonly<Record<string, string>> {
  const capped: Record<string, string> = {};
  for (const [label, values] of Object.entries(metric.definition.labels)) {
    const value = labels[label];
    capped[label] = "max" in values && !isWithinCap(metric, label, value, values.max) ? OTHER : value;
  }
  return capped;
}

function isWithinCap({ labelValues }: Metric, label: string, value: string, max: number): boolean {
  const values = labelValues.get(label) ?? new Set();
  labelValues.set(label, values);
  if (!values.has(value) && values.size >= max) return false;
  values.add(value);
  return true;
}

/** Returns an empty list if label values are known only at runtime. */
function labelCombinations(labels: LabelNames): readonly Readonly<Record<string, string>>[] {
  let combinations: readonly Readonly<Record<string, string>>[] = [{}];
  for (const [label, values] of Object.entries(labels)) {
    if ("max" in values) return [];
    combinations = combinations.flatMap((labelsBefore) =>
      values.map((value) => ({ ...labelsBefore, [label]: value })),
    );
  }
  return combinations;
}
