/** Loads the newest blocks, then follows the event stream. */
import { batch, type Signal, signal } from "@preact/signals";
import { SECOND } from "../../bytes/durations.ts";
import { InvalidAnswerError, NoAnswerError } from "../../client/bounded-fetch.ts";
import { membersOf } from "../../client/decode.ts";
import {
  type Answer,
  type ChainEvent,
  FailedRequestError,
  readEvents,
  type StreamFetch,
} from "../../client/index.ts";
import type { Connection, Live, LiveTransaction, RecentBlock, SyncStatus, Tip } from "../page.ts";
import type { RemoteNodeApi } from "./node-api.ts";
import type { PageClock, Visibility } from "./platform.ts";
import { MAX_BLOCKS, positionOf, RecentChain } from "./recent-chain.ts";

const BATCH_DELAY_MS = 50;
/** Limits rendering. */
const MIN_UPDATE_INTERVAL_MS = 1_000;
/** Applies after an update with more than `BUSY_EVENTS` events. */
const BUSY_UPDATE_INTERVAL_MS = 2_000;
const BUSY_EVENTS = 40;
/** After a longer interruption, the chain is loaded again. */
const MAX_RESUME_GAP_MS = 120_000;
/** While the node is syncing; otherwise, the slow interval applies. */
const SYNC_POLL_INTERVAL_MS = 15_000;
const SLOW_SYNC_POLL_INTERVAL_MS = 60_000;
const RETRY_DELAY_MS = 5_000;
const MAX_RETRY_DELAY_MS = 60_000;

type Headers = Answer<"GET /blocks/headers/seq/:from/:to">;

interface LiveOptions {
  readonly node: RemoteNodeApi;
  readonly clock: PageClock;
  readonly visibility: Visibility;
  readonly signal: AbortSignal;
}

/** Checks a height, because the server may not be a node. */
function hasHeight(answer: unknown): boolean {
  const { height } = membersOf(answer);
  return typeof height === "number" && Number.isSafeInteger(height) && height > 0;
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : "no connection");

class LiveChain implements Live {
  readonly #node: RemoteNodeApi;
  readonly #clock: PageClock;
  readonly #visibility: Visibility;
  readonly #signal: AbortSignal;

  readonly tip: Signal<Tip | undefined> = signal(undefined);
  readonly connection: Signal<Connection> = signal({ state: "connecting" });
  readonly blocks: Signal<readonly RecentBlock[]> = signal([]);
  readonly transactions: Signal<readonly LiveTransaction[]> = signal([]);
  readonly missed: Signal<number> = signal(0);
  readonly heardAtMs: Signal<number | undefined> = signal(undefined);

  readonly #chain = new RecentChain();
  /** Id of the last event; undefined if the chain must be loaded. */
  #lastId: string | undefined;
  #hasLoaded = false;
  /** Blocks of `loadBlocks`, until the stream is open. */
  #embedded: Headers | undefined;
  /** Newest block of the last load, until its event arrives. */
  #loadedTip: { readonly height: number; readonly id: string } | undefined;
  #lostAtMs: number | undefined;
  #sync: SyncStatus | undefined;
  #isUpdateDue = false;
  #updatedAtMs = Number.NEGATIVE_INFINITY;
  #updateIntervalMs = MIN_UPDATE_INTERVAL_MS;
  #eventsSinceUpdate = 0;

  constructor({ node, clock, visibility, signal: abortSignal }: LiveOptions) {
    this.#node = node;
    this.#clock = clock;
    this.#visibility = visibility;
    this.#signal = abortSignal;
  }

  async run(): Promise<void> {
    let failures = 0;
    while (!this.#signal.aborted) {
      if (this.#visibility.isHidden()) {
        await this.#wait();
        continue;
      }
      if (!this.#hasLoaded) this.#lastId = undefined;
      try {
        await this.#readEvents();
        failures = 0;
      } catch (error) {
        if (this.#signal.aborted) return;
        this.#lastId = undefined;
        this.#markLost(error);
        await this.#wait(Math.min(RETRY_DELAY_MS * 2 ** Math.min(failures++, 10), MAX_RETRY_DELAY_MS));
      }
    }
  }

  /** Returns when the page is hidden or `#signal` aborts. @throws any other failure */
  async #readEvents(): Promise<void> {
    const session = new AbortController();
    const endSignal = AbortSignal.any([session.signal, this.#signal]);
    const unwatch = this.#visibility.onChange(() => {
      if (this.#visibility.isHidden()) session.abort();
    });
    let failure: unknown;
    const fail = (error: unknown): void => {
      if (endSignal.aborted) return;
      failure = error;
      session.abort();
    };
    let loading: Promise<void> | undefined;
    let onFirstId: (id: string) => void = () => {};
    const load = (firstId: string | Promise<string>): void => {
      loading = this.#load(firstId, endSignal);
      loading.catch(fail);
    };
    const fetch: StreamFetch = async (url, init) => {
      if (this.#lastId !== undefined && this.#wasInterruptedTooLong()) {
        // The next session loads the chain again.
        this.#lastId = undefined;
        session.abort();
        endSignal.throwIfAborted();
      }
      const isNew = this.#lastId === undefined;
      const answer = await this.#connect(url, init, endSignal);
      if (isNew && answer.status === 200) load(new Promise((resolve) => (onFirstId = resolve)));
      return answer;
    };
    const cancelSync = this.#watchSync(endSignal);
    try {
      const events = readEvents({
        url: this.#node.url,
        fetch,
        events: ["block", "microblock", "transaction", "pool"],
        since: this.#lastId,
        onId: (id) => {
          onFirstId(id);
          this.#lastId = id;
        },
        signal: endSignal,
        after: (...args) => this.#clock.after(...args),
      });
      for await (const event of events) {
        if (event.id !== undefined) onFirstId(event.id);
        await loading;
        if (event.event === "gap") {
          this.#chain.clear();
          this.#node.reset();
        } else this.#apply(event);
        this.#lastId = event.id ?? this.#lastId;
        // The chain rolled back below the loaded blocks, or forked while they were loaded.
        if (event.id !== undefined && (this.#chain.isEmpty || this.#missedLoadedTip(event.id)))
          load(event.id);
      }
      if (failure !== undefined) throw failure;
    } catch (error) {
      throw failure ?? error;
    } finally {
      session.abort();
      cancelSync();
      unwatch();
    }
  }

  /** Shows failures, because `readEvents` retries silently. */
  async #connect(
    url: string,
    init: Parameters<StreamFetch>[1],
    abortSignal: AbortSignal,
  ): ReturnType<StreamFetch> {
    const reportLoss = (error: unknown): void => {
      if (!abortSignal.aborted) this.#markLost(error);
    };
    const answer = await this.#node.openEvents(url, init).catch((error: unknown) => {
      reportLoss(new NoAnswerError(messageOf(error)));
      throw error;
    });
    const { status, body } = answer;
    if (status !== 200) reportLoss(new FailedRequestError("GET /events", status, null));
    if (status !== 200 || body === null || abortSignal.aborted) return answer;
    this.#lostAtMs = undefined;
    this.#showConnection();
    const monitored = new TransformStream<Uint8Array, Uint8Array>({
      transform: (chunk, controller) => {
        this.#markHeard();
        controller.enqueue(chunk);
      },
    });
    body.pipeTo(monitored.writable).then(
      () => reportLoss(new NoAnswerError("the stream ended")),
      (error: unknown) => reportLoss(new NoAnswerError(messageOf(error))),
    );
    return { status, body: monitored.readable, text: () => answer.text() };
  }

  #markHeard(): void {
    const now = this.#clock.now();
    if (now - (this.heardAtMs.value ?? 0) >= SECOND) this.heardAtMs.value = now;
  }

  #wasInterruptedTooLong(): boolean {
    const now = this.#clock.now();
    return now - (this.heardAtMs.value ?? now) > MAX_RESUME_GAP_MS;
  }

  #showConnection(): void {
    const { behind = false } = this.#sync ?? {};
    const tip = this.#chain.tip;
    if (behind && this.#sync !== undefined && tip !== undefined)
      this.connection.value = { state: "behind", sinceMs: Number(tip.timestamp), sync: this.#sync };
    else if (this.connection.value.state !== "live") this.connection.value = { state: "live" };
  }

  #markLost(error: unknown): void {
    this.#lostAtMs ??= this.#clock.now();
    const sinceMs = this.#lostAtMs;
    void this.#node.diagnose(error).then((problem) => {
      // The connection may have recovered.
      if (this.#lostAtMs === sinceMs) this.connection.value = { state: "lost", sinceMs, problem };
    });
  }

  async #loadHeaders(): Promise<Headers> {
    const { client } = this.#node;
    await this.#node.loadNetwork();
    const { height } = await client.call("GET /blocks/headers/last");
    if (!hasHeight({ height })) throw new InvalidAnswerError("its newest block has no height");
    const from = Math.max(1, height - MAX_BLOCKS + 1);
    const headers = await client.call("GET /blocks/headers/seq/:from/:to", { params: { from, to: height } });
    if (!Array.isArray(headers) || !headers.every(hasHeight))
      throw new InvalidAnswerError("its newest blocks have no heights");
    return headers;
  }

  /** Shows the newest blocks before the stream is open. */
  async loadBlocks(): Promise<void> {
    const headers = await this.#loadHeaders();
    if (this.#hasLoaded) return;
    this.#embedded = headers;
    this.#chain.load(headers);
    this.#update();
  }

  /** @param firstEventId id of the stream's first event; the loaded blocks may include that event */
  async #load(firstEventId: string | Promise<string>, abortSignal: AbortSignal): Promise<void> {
    this.#loadedTip = undefined;
    const embedded = this.#embedded;
    this.#embedded = undefined;
    const isCurrent =
      embedded !== undefined && positionOf(await firstEventId)?.id === embedded.at(-1)?.signature;
    const headers = isCurrent ? embedded : await this.#loadHeaders();
    const start = positionOf(await firstEventId);
    if (abortSignal.aborted) return;
    this.#chain.load(headers);
    const { height: loadedHeight, signature: id } = headers.at(-1) ?? { height: 0, signature: "" };
    this.#loadedTip =
      start?.height === loadedHeight && start.id === id ? undefined : { height: loadedHeight, id };
    this.#hasLoaded = true;
    this.#node.client.setHeight(loadedHeight);
    this.#scheduleUpdate();
  }

  /** @throws InvalidAnswerError for a block event without a valid height */
  #apply(event: Exclude<ChainEvent, { readonly event: "gap" }>): void {
    const isBlockEvent = event.event === "block" || event.event === "microblock";
    if (isBlockEvent && !hasHeight(event.data))
      throw new InvalidAnswerError("an event has a block without a height");
    if (event.event === "transaction") this.#chain.applyTransaction(event.data);
    else if (event.event === "pool") this.#chain.addPoolTransaction(event.data);
    else if (event.event === "missed") this.#chain.countMissed(event.data);
    else if (!this.#isLoaded(event.id)) this.#chain.applyBlockEvent(event.data, event.id);
    if (isBlockEvent) {
      const { change, height, sequence } = event.data;
      this.#node.client.setHeight(change === "reverted" && sequence === 0 ? height - 1 : height);
    }
    this.#scheduleUpdate();
  }

  /** Returns true for events up to the loaded tip's. The tip's event clears `#loadedTip`. */
  #isLoaded(eventId: string | undefined): boolean {
    const loaded = this.#loadedTip;
    if (loaded === undefined) return false;
    const position = positionOf(eventId);
    if (position?.height === loaded.height && position.id === loaded.id) this.#loadedTip = undefined;
    return true;
  }

  /** Returns true if a fork replaced the loaded tip: the tip's event will never arrive. */
  #missedLoadedTip(eventId: string): boolean {
    return this.#loadedTip !== undefined && (positionOf(eventId)?.height ?? 0) > this.#loadedTip.height;
  }

  #scheduleUpdate(): void {
    this.#eventsSinceUpdate++;
    if (this.#isUpdateDue) return;
    this.#isUpdateDue = true;
    const sinceLast = this.#clock.now() - this.#updatedAtMs;
    this.#clock.after(Math.max(BATCH_DELAY_MS, this.#updateIntervalMs - sinceLast), () => {
      this.#isUpdateDue = false;
      const isBusy = this.#eventsSinceUpdate > BUSY_EVENTS;
      this.#updateIntervalMs = isBusy ? BUSY_UPDATE_INTERVAL_MS : MIN_UPDATE_INTERVAL_MS;
      this.#eventsSinceUpdate = 0;
      this.#updatedAtMs = this.#clock.now();
      this.#update();
    });
  }

  #update(): void {
    batch(() => {
      const { tip, blocks, transactions, missed } = this.#chain;
      const before = this.tip.value;
      if (tip?.id !== before?.id || tip?.height !== before?.height) this.tip.value = tip;
      this.blocks.value = blocks;
      this.transactions.value = transactions;
      this.missed.value = missed;
      if (this.connection.value.state === "behind") this.#showConnection();
    });
  }

  #watchSync(abortSignal: AbortSignal): () => void {
    let cancel = (): void => {};
    const poll = async (): Promise<void> => {
      try {
        const sync = await this.#node.loadSync();
        if (abortSignal.aborted) return;
        this.#sync = sync;
        if (this.#lostAtMs === undefined && this.connection.value.state !== "connecting")
          this.#showConnection();
      } catch {
        // Some nodes lack this route.
        this.#sync = undefined;
        if (this.connection.value.state === "behind") this.#showConnection();
      }
      const interval = this.#sync?.behind === true ? SYNC_POLL_INTERVAL_MS : SLOW_SYNC_POLL_INTERVAL_MS;
      if (!abortSignal.aborted) cancel = this.#clock.after(interval, poll);
    };
    void poll();
    return () => cancel();
  }

  /** Waits until the delay ends, the page is hidden or shown, or `#signal` aborts. */
  #wait(delayMs?: number): Promise<void> {
    return new Promise((resolve) => {
      const proceed = (): void => {
        cancel();
        unwatch();
        this.#signal.removeEventListener("abort", proceed);
        resolve();
      };
      const cancel = delayMs === undefined ? () => {} : this.#clock.after(delayMs, proceed);
      const unwatch = this.#visibility.onChange(proceed);
      this.#signal.addEventListener("abort", proceed);
    });
  }
}

/** @param loadsBlocks true if the page contains the newest blocks: they are loaded before the stream is open */
export function followChain(options: LiveOptions, loadsBlocks = false): Live {
  const live = new LiveChain(options);
  // If this fails, `run` loads the blocks again and reports failures.
  if (loadsBlocks) void live.loadBlocks().catch(() => {});
  void live.run();
  return live;
}

/** Loads the newest blocks once. @throws the client's errors, and InvalidAnswerError */
export async function loadChain(node: RemoteNodeApi, clock: PageClock): Promise<Live> {
  const visibility = { isHidden: () => true, onChange: () => () => {} };
  const live = new LiveChain({ node, clock, visibility, signal: AbortSignal.abort() });
  await live.loadBlocks();
  return live;
}
