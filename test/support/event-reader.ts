import { setTimeout as delay } from "node:timers/promises";
import type { SeededRandom } from "../../src/testing/seeded-random.ts";

export interface EventMessage {
  readonly event: string;
  readonly id: string;
  readonly change: string;
  /** The event without its direction. */
  readonly what: string;
}

/** Ends with the last complete message. */
export function messagesOf(text: string): EventMessage[] {
  const messages: EventMessage[] = [];
  for (const part of text.split("\n\n").slice(0, -1)) {
    const fields = new Map(
      part.split("\n").map((line) => [line.split(":", 1)[0], line.slice(line.indexOf(":") + 2)]),
    );
    const [event, id, data] = [fields.get("event"), fields.get("id"), fields.get("data")];
    if (event === undefined || data === undefined) continue;
    const found = /^\{"change":"(\w+)",(.*)$/s.exec(data);
    messages.push({ event, id: id ?? "", change: found?.[1] ?? "", what: `${event} ${found?.[2] ?? data}` });
  }
  return messages;
}

const MAX_READ_MS = 800;
const RETRY_MS = 50;
const READ_ALL_MS = 2_000;
const MAX_READS = 30;
const FIRST_EVENT_MS = 30_000;
const MAX_PAUSES = 10;
const START = "0";

type Outcome = "read" | "unknown" | "unavailable";

/**
 * Reads `/events` from one node after the other, resumes with the last id, and keeps what is on the chain.
 * A node that does not know a position answers with `gap`: the reader then changes to another one.
 */
export class EventReader {
  readonly seen: string[] = [];
  /** Events, reverted ones among them, changes of the node, and positions that a node did not know. */
  readonly counts = { events: 0, reverted: 0, changes: 0, unknown: 0 };
  readonly #random: SeededRandom;
  readonly #urls: () => readonly string[];
  #position = START;
  #isOver = false;
  #failure: Error | undefined;
  readonly #running: Promise<void>;

  /** @param urls nodes that can be asked now; it may change */
  constructor(random: SeededRandom, urls: () => readonly string[]) {
    this.#random = random;
    this.#urls = urls;
    this.#running = this.#run();
  }

  /** Stops reading. @throws if an event was missing or came twice */
  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#running;
    if (this.#failure !== undefined) throw this.#failure;
  }

  /**
   * Reads from a node, which must know the position, until nothing more comes.
   * @throws if an event was missing or came twice
   */
  async readAll(url: string): Promise<void> {
    for (let reads = 0; reads < MAX_READS; reads++) {
      const before = this.#position;
      // A node that rolled back is lower than the position, which it knows.
      const outcome = await this.#readFrom(`${url}/events?since=${before}`, READ_ALL_MS);
      if (outcome === "unknown") throw new Error(`${url} does not know ${before}`);
      if (outcome === "read" && before === this.#position) return;
    }
    throw new Error(`${url} did not end its events after ${MAX_READS} reads`);
  }

  /** Reads from a node. @returns true if the node knows the position */
  async isKnownTo(url: string): Promise<boolean> {
    return (await this.#readIfReached(url, MAX_READ_MS)) === "read";
  }

  async #run(): Promise<void> {
    try {
      for (let url = ""; !this.#isOver; ) {
        const urls = this.#urls();
        if (urls.length === 0) {
          await delay(RETRY_MS);
          continue;
        }
        const next = this.#random.pick(urls);
        if (next !== url) this.counts.changes++;
        url = next;
        await this.#readIfReached(url, 100 + this.#random.below(MAX_READ_MS));
      }
    } catch (error) {
      this.#failure = error as Error;
    }
  }

  /** Reads from a node that is as high as the position, as clients of several nodes do. */
  #readIfReached(url: string, ms: number): Promise<Outcome> {
    const position = this.#position;
    const atLeast = position === START ? "" : `&atLeast=${position.split(".").slice(0, 3).join(".")}`;
    return this.#readFrom(`${url}/events?since=${position}${atLeast}`, ms);
  }

  /** @param ms maximum time */
  async #readFrom(url: string, ms: number): Promise<Outcome> {
    let text: string | undefined;
    try {
      const signal = AbortSignal.timeout(ms);
      const response = await fetch(url, { signal });
      if (response.status !== 200) {
        await response.body?.cancel();
        await delay(RETRY_MS);
        return "unavailable";
      }
      text = "";
      const decoder = new TextDecoder();
      for await (const chunk of response.body ?? []) text += decoder.decode(chunk, { stream: true });
    } catch (error) {
      // The time is over, or the node was killed.
      if (!(error instanceof TypeError) && (error as Error).name !== "TimeoutError") throw error;
    }
    if (text === undefined) return "unavailable";
    for (const message of messagesOf(text)) {
      if (message.event === "gap") {
        this.counts.unknown++;
        await delay(RETRY_MS);
        return "unknown";
      }
      this.#take(message, url);
    }
    return "read";
  }

  #take({ change, what, id }: EventMessage, url: string): void {
    this.counts.events++;
    if (change === "committed") this.seen.push(what);
    else {
      this.counts.reverted++;
      const last = this.seen.pop();
      if (last !== what)
        throw new Error(
          `${url} reverted ${what.slice(0, 300)} after ${id}, the last event was ${last?.slice(0, 300)}`,
        );
    }
    this.#position = id;
  }
}

export interface AllEventsOptions {
  /** The chain has been read if the stream pauses this long. */
  readonly quietMs?: number;
  /** With fewer events, the node may just be slow: a pause must last `MAX_PAUSES` times as long. */
  readonly expected?: number;
}

/** Reads the events of the whole chain of a node. */
export async function allEvents(
  url: string,
  { quietMs = 5_000, expected = 0 }: AllEventsOptions = {},
): Promise<readonly string[]> {
  const over = new AbortController();
  let text = "";
  let pauses = 0;
  const pause = (): void => {
    pauses++;
    if (pauses >= MAX_PAUSES || messagesOf(text).length >= expected) over.abort();
    else timer = setTimeout(pause, quietMs);
  };
  let timer = setTimeout(() => over.abort(), FIRST_EVENT_MS);
  try {
    const response = await fetch(`${url}/events?since=0`, { signal: over.signal });
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) {
      text += decoder.decode(chunk, { stream: true });
      clearTimeout(timer);
      pauses = 0;
      timer = setTimeout(pause, quietMs);
    }
  } catch (error) {
    if ((error as Error).name !== "AbortError") throw error;
  } finally {
    clearTimeout(timer);
  }
  return messagesOf(text).map(({ what }) => what);
}
