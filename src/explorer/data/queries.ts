/** Loads data once for all parts of a page that show it. */
import { computed, effect, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import type { Attempt, Live, PageQueries, Problem, QueryOptions } from "../page.ts";
import type { PageClock } from "./platform.ts";

const MAX_QUERIES = 200;
const RELOAD_DEBOUNCE_MS = 1_000;
/** Delay before a retry if the node is busy or builds an index. */
const RETRY_DELAY_MS = 5_000;

class Query {
  readonly result: Signal<Attempt<unknown> | undefined> = signal(undefined);
  load: () => Promise<unknown>;
  version: string | undefined;
  startedAtMs = 0;
  isLoading = false;
  /** The version changed during the load. */
  isOutdated = false;
  watchers = 0;
  cancelTimer: (() => void) | undefined;

  constructor(load: () => Promise<unknown>, version: string | undefined) {
    this.load = load;
    this.version = version;
  }
}

interface QueriesOptions {
  readonly live: Live;
  readonly clock: PageClock;
  diagnose(error: unknown): Promise<Problem>;
}

export class Queries implements PageQueries {
  readonly #options: QueriesOptions;
  readonly #queries = new Map<string, Query>();
  readonly #pending = new Set<Promise<void>>();
  readonly #firstLoads = signal(0);
  readonly isLoading: ReadonlySignal<boolean> = computed(() => this.#firstLoads.value > 0);

  constructor(options: QueriesOptions) {
    this.#options = options;
    // Repeat failed loads when the node answers again.
    effect(() => {
      if (options.live.connection.value.state !== "live") return;
      for (const query of this.#queries.values())
        if (query.result.peek()?.ok === false && query.watchers > 0) this.#schedule(query, 0);
    });
  }

  get<T>(
    key: string,
    load: () => Promise<T>,
    { version, minIntervalMs = 0 }: QueryOptions = {},
  ): ReadonlySignal<Attempt<T> | undefined> {
    let query = this.#queries.get(key);
    if (query === undefined) {
      query = new Query(load, version);
      this.#queries.set(key, query);
      this.#removeOldest();
      this.#load(query);
    }
    query.load = load;
    if (version !== undefined && version !== query.version) {
      // The first known version is the one that was loaded.
      const isChange = query.version !== undefined;
      query.version = version;
      if (isChange) {
        const age = this.#options.clock.now() - query.startedAtMs;
        this.#schedule(query, Math.max(RELOAD_DEBOUNCE_MS, minIntervalMs - age));
      }
    }
    // Safe cast: `load` returns this type for this key.
    return query.result as ReadonlySignal<Attempt<T> | undefined>;
  }

  watch(key: string): () => void {
    const query = this.#queries.get(key);
    if (query === undefined) return () => {};
    query.watchers++;
    if (query.result.peek()?.ok === false) this.#schedule(query, 0);
    return () => {
      query.watchers--;
    };
  }

  reload(key: string): void {
    const query = this.#queries.get(key);
    if (query !== undefined && !query.isLoading) this.#schedule(query, RELOAD_DEBOUNCE_MS);
  }

  async settled(): Promise<void> {
    while (this.#pending.size > 0) await Promise.all(this.#pending);
  }

  #removeOldest(): void {
    for (const [key, query] of this.#queries) {
      if (this.#queries.size <= MAX_QUERIES) return;
      if (query.watchers > 0 || query.isLoading) continue;
      query.cancelTimer?.();
      this.#queries.delete(key);
    }
  }

  #schedule(query: Query, delayMs: number): void {
    if (query.isLoading) query.isOutdated = true;
    else
      query.cancelTimer ??= this.#options.clock.after(delayMs, () => {
        query.cancelTimer = undefined;
        this.#load(query);
      });
  }

  #load(query: Query): void {
    const isFirst = query.result.peek() === undefined;
    query.isLoading = true;
    query.isOutdated = false;
    query.startedAtMs = this.#options.clock.now();
    if (isFirst) this.#firstLoads.value++;
    const pending = this.#run(query).then(() => {
      this.#pending.delete(pending);
      query.isLoading = false;
      if (isFirst) this.#firstLoads.value--;
      const result = query.result.peek();
      const isBusy =
        result?.ok === false && (result.problem.kind === "building" || result.problem.kind === "busy");
      if (query.isOutdated) this.#schedule(query, RELOAD_DEBOUNCE_MS);
      else if (isBusy && query.watchers > 0) this.#schedule(query, RETRY_DELAY_MS);
    });
    this.#pending.add(pending);
  }

  async #run(query: Query): Promise<void> {
    try {
      query.result.value = { ok: true, value: await query.load() };
    } catch (error) {
      const problem = await this.#options.diagnose(error);
      if (query.result.peek()?.ok !== true) query.result.value = { ok: false, problem };
    }
  }
}
