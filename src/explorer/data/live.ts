/**
 * What happens on the chain, as it happens: loaded once, then followed by events. It connects again by itself; it is
 * closed while nobody sees the page, since a browser has few connections for a host.
 */
import { batch, type Signal, signal } from "@preact/signals";
import { InvalidAnswerError, NoAnswerError } from "../../client/bounded-fetch.ts";
import { membersOf } from "../../client/decode.ts";
import { type ChainEvent, FailedRequestError, readEvents, type StreamFetch } from "../../client/index.ts";
import type { Connection, Live, LiveTransaction, StripBlock, SyncStatus, Tip } from "../page.ts";
import type { RemoteNodeApi } from "./node-api.ts";
import type { PageClock, Visibility } from "./platform.ts";
import { MAX_BLOCKS, positionOf, RecentChain } from "./recent-chain.ts";

/** Changes are shown together, so many milliseconds behind the first of them. */
const BATCH_DELAY_MS = 50;
/** After a longer absence the chain is loaded anew rather than all events in between read. */
const MAX_RESUME_GAP_MS = 120_000;
/** How often the node is asked whether it is behind others. */
const SYNC_POLL_INTERVAL_MS = 15_000;
/** How long to wait after a refusal or an answer that is none; a node that is away is tried as `readEvents` does. */
const RETRY_DELAY_MS = 5_000;
const MAX_RETRY_DELAY_MS = 60_000;

interface LiveOptions {
  readonly node: RemoteNodeApi;
  readonly clock: PageClock;
  readonly visibility: Visibility;
  readonly signal: AbortSignal;
}

/** What ends the reading of events so that it is begun anew. */
class StreamRestart extends Error {}

/** Whether something of an answer has the height of a block: what is no node may answer anything. */
function hasHeight(of: unknown): boolean {
  const { height } = membersOf(of);
  return typeof height === "number" && Number.isSafeInteger(height) && height > 0;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : "no connection";
}

class LiveChain implements Live {
  readonly #node: RemoteNodeApi;
  readonly #clock: PageClock;
  readonly #visibility: Visibility;
  readonly #signal: AbortSignal;

  readonly tip: Signal<Tip | undefined> = signal(undefined);
  readonly connection: Signal<Connection> = signal({ state: "connecting" });
  readonly blocks: Signal<readonly StripBlock[]> = signal([]);
  readonly transactions: Signal<readonly LiveTransaction[]> = signal([]);
  readonly missed: Signal<number> = signal(0);

  readonly #chain = new RecentChain();
  /** Behind what was heard last; undefined: the chain has to be loaded. */
  #lastId: string | undefined;
  /** Whether the chain was loaded, so that events can go on from there. */
  #hasLoaded = false;
  /** What was loaded since the stream began, where that is another place: events on the way there are in it already. */
  #loadedTip: { readonly height: number; readonly id: string } | undefined;
  #lostAt: number | undefined;
  #sync: SyncStatus | undefined;
  #isUpdateDue = false;

  constructor({ node, clock, visibility, signal: end }: LiveOptions) {
    this.#node = node;
    this.#clock = clock;
    this.#visibility = visibility;
    this.#signal = end;
  }

  /** Follows the chain until the signal ends it. */
  async run(): Promise<void> {
    let failures = 0;
    let hiddenAt: number | undefined;
    while (!this.#signal.aborted) {
      if (this.#visibility.isHidden()) {
        hiddenAt ??= this.#clock.now();
        await this.#wait();
        continue;
      }
      if (hiddenAt !== undefined && this.#clock.now() - hiddenAt > MAX_RESUME_GAP_MS)
        this.#lastId = undefined;
      hiddenAt = undefined;
      if (!this.#hasLoaded) this.#lastId = undefined;
      try {
        await this.#readEvents();
        failures = 0;
      } catch (error) {
        if (this.#signal.aborted) return;
        this.#lastId = undefined;
        if (error instanceof StreamRestart) continue;
        this.#markLost(error);
        await this.#wait(Math.min(RETRY_DELAY_MS * 2 ** Math.min(failures++, 10), MAX_RETRY_DELAY_MS));
      }
    }
  }

  /** Reads events until the tab is hidden or all is over. @throws what ends the reading otherwise */
  async #readEvents(): Promise<void> {
    const session = new AbortController();
    const end = (): void => session.abort();
    this.#signal.addEventListener("abort", end);
    const unwatch = this.#visibility.onChange(() => {
      if (this.#visibility.isHidden()) end();
    });
    /** What ends the session other than somebody who wants that. */
    let failure: unknown;
    const fail = (error: unknown): void => {
      if (session.signal.aborted) return;
      failure = error;
      end();
    };
    let loading: Promise<void> | undefined;
    let begins: (id: string) => void = () => {};
    const load = (began: string | Promise<string>): void => {
      loading = this.#load(began, session.signal);
      loading.catch(fail);
    };
    const fetch: StreamFetch = async (url, init) => {
      if (this.#lastId !== undefined && this.#wasLostTooLong()) {
        fail(new StreamRestart());
        throw failure;
      }
      const isAnew = this.#lastId === undefined;
      const answer = await this.#connect(url, init, session.signal);
      if (isAnew && answer.status === 200)
        load(
          new Promise((resolve) => {
            begins = resolve;
          }),
        );
      return answer;
    };
    const cancelSync = this.#watchSync(session.signal);
    try {
      const events = readEvents({
        url: this.#node.url,
        fetch,
        events: ["block", "microblock", "transaction", "pool"],
        since: this.#lastId,
        onId: (id) => {
          begins(id);
          this.#lastId = id;
        },
        signal: session.signal,
        after: (...wanted) => this.#clock.after(...wanted),
      });
      for await (const event of events) {
        if (event.id !== undefined) begins(event.id);
        await loading;
        if (event.event === "gap") {
          this.#chain.clear();
          this.#node.reset();
        } else this.#apply(event);
        this.#lastId = event.id ?? this.#lastId;
        // Nothing was told of what the chain went back to, or of the way to where it is.
        if (event.id !== undefined && (this.#chain.isEmpty || this.#isAstray(event.id))) load(event.id);
      }
      if (failure !== undefined) throw failure;
    } catch (error) {
      throw failure ?? error;
    } finally {
      end();
      cancelSync();
      unwatch();
      this.#signal.removeEventListener("abort", end);
    }
  }

  /** A connection; tells when there is none, and when it breaks: `readEvents` only tries again. */
  async #connect(url: string, init: Parameters<StreamFetch>[1], end: AbortSignal): ReturnType<StreamFetch> {
    const lose = (error: unknown): void => {
      if (!end.aborted) this.#markLost(error);
    };
    const answer = await this.#node.fetch(url, init).catch((error: unknown) => {
      lose(new NoAnswerError(messageOf(error)));
      throw error;
    });
    const { status, body } = answer;
    if (status !== 200) lose(new FailedRequestError("GET /events", status, null));
    if (status !== 200 || body === null || end.aborted) return answer;
    this.#lostAt = undefined;
    this.#showConnection();
    const reader = body.getReader();
    const watched = new ReadableStream<Uint8Array>({
      pull: async (controller) => {
        try {
          const { value, done } = await reader.read();
          if (!done) return controller.enqueue(value);
          lose(new NoAnswerError("the stream ended"));
          controller.close();
        } catch (error) {
          lose(new NoAnswerError(messageOf(error)));
          controller.error(error);
        }
      },
      cancel: (reason) => reader.cancel(reason),
    });
    return { status, body: watched, text: () => answer.text() };
  }

  #wasLostTooLong(): boolean {
    return this.#lostAt !== undefined && this.#clock.now() - this.#lostAt > MAX_RESUME_GAP_MS;
  }

  #showConnection(): void {
    const { behind = false } = this.#sync ?? {};
    const tip = this.#chain.tip;
    if (behind && this.#sync !== undefined && tip !== undefined)
      this.connection.value = { state: "behind", sinceMs: Number(tip.timestamp), sync: this.#sync };
    else if (this.connection.value.state !== "live") this.connection.value = { state: "live" };
  }

  #markLost(error: unknown): void {
    this.#lostAt ??= this.#clock.now();
    const sinceMs = this.#lostAt;
    void this.#node.diagnose(error).then((problem) => {
      // Meanwhile it may be there again.
      if (this.#lostAt === sinceMs) this.connection.value = { state: "lost", sinceMs, problem };
    });
  }

  /** What the chain is now. @param began where the stream began @throws what the client throws */
  async #load(began: string | Promise<string>, end: AbortSignal): Promise<void> {
    const { client } = this.#node;
    this.#loadedTip = undefined;
    await this.#node.loadNetwork();
    const { height } = await client.call("GET /blocks/headers/last");
    if (!hasHeight({ height })) throw new InvalidAnswerError("its newest block has no height");
    const from = Math.max(1, height - MAX_BLOCKS + 1);
    const headers = await client.call("GET /blocks/headers/seq/:from/:to", { params: { from, to: height } });
    const start = positionOf(await began);
    if (end.aborted) return;
    if (!Array.isArray(headers) || !headers.every(hasHeight))
      throw new InvalidAnswerError("its newest blocks have no heights");
    this.#chain.load(headers);
    const { height: top, signature: id } = headers.at(-1) ?? { height: 0, signature: "" };
    this.#loadedTip = start?.height === top && start.id === id ? undefined : { height: top, id };
    this.#hasLoaded = true;
    this.#node.setHeight(height);
    this.#scheduleUpdate();
  }

  /** @throws WrongAnswerError for what no node tells */
  #apply(event: Exclude<ChainEvent, { readonly event: "gap" }>): void {
    const isUnit = event.event === "block" || event.event === "microblock";
    if (isUnit && !hasHeight(event.data))
      throw new InvalidAnswerError("an event tells of a block without a height");
    if (event.event === "transaction") this.#chain.transaction(event.data);
    else if (event.event === "pool") this.#chain.pool(event.data);
    else if (event.event === "missed") this.#chain.miss(event.data);
    else if (!this.#isLoaded(event.id)) this.#chain.unit(event.data, event.id);
    if (isUnit) {
      const { change, height, sequence } = event.data;
      this.#node.setHeight(change === "reverted" && sequence === 0 ? height - 1 : height);
    }
    this.#scheduleUpdate();
  }

  /** Whether what was loaded was already where an event leads, or beyond. */
  #isLoaded(eventId: string | undefined): boolean {
    const loaded = this.#loadedTip;
    if (loaded === undefined) return false;
    const at = positionOf(eventId);
    if (at?.height === loaded.height && at.id === loaded.id) this.#loadedTip = undefined;
    return true;
  }

  /** Whether events lead beyond what was loaded, and never led there: a fork came between. */
  #isAstray(eventId: string): boolean {
    return this.#loadedTip !== undefined && (positionOf(eventId)?.height ?? 0) > this.#loadedTip.height;
  }

  /** Soon, together with what comes until then. */
  #scheduleUpdate(): void {
    if (this.#isUpdateDue) return;
    this.#isUpdateDue = true;
    this.#clock.after(BATCH_DELAY_MS, () => {
      this.#isUpdateDue = false;
      batch(() => {
        const { tip, blocks, transactions, missed } = this.#chain;
        const before = this.tip.value;
        if (tip?.id !== before?.id || tip?.height !== before?.height) this.tip.value = tip;
        this.blocks.value = blocks;
        this.transactions.value = transactions;
        this.missed.value = missed;
        if (this.connection.value.state === "behind") this.#showConnection();
      });
    });
  }

  /** Asks now and then whether the node is behind others. @returns what ends it */
  #watchSync(end: AbortSignal): () => void {
    let cancel = (): void => {};
    const ask = async (): Promise<void> => {
      try {
        const sync = await this.#node.client.call("GET /node/sync");
        if (end.aborted) return;
        this.#sync = sync;
        if (this.#lostAt === undefined && this.connection.value.state !== "connecting")
          this.#showConnection();
      } catch {
        // Whether the node is there, the stream tells; another node has no such route.
        this.#sync = undefined;
        if (this.connection.value.state === "behind") this.#showConnection();
      }
      if (!end.aborted) cancel = this.#clock.after(SYNC_POLL_INTERVAL_MS, ask);
    };
    cancel = this.#clock.after(0, ask);
    return () => cancel();
  }

  /** Until the page is hidden or shown, the delay ends, if any, or all is over. */
  #wait(delayMs?: number): Promise<void> {
    return new Promise((resolve) => {
      const go = (): void => {
        cancel();
        unwatch();
        this.#signal.removeEventListener("abort", go);
        resolve();
      };
      const cancel = delayMs === undefined ? () => {} : this.#clock.after(delayMs, go);
      const unwatch = this.#visibility.onChange(go);
      this.#signal.addEventListener("abort", go);
    });
  }
}

/** Begins to follow the chain of a node, until the signal ends it. */
export function followChain(options: LiveOptions): Live {
  const live = new LiveChain(options);
  void live.run();
  return live;
}
