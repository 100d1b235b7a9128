/** Shares one event stream among tabs, because browsers allow few connections per host. */
import type { StreamFetch } from "../../client/index.ts";

/** Messages from a tab. The tab numbers its streams. `read`: chunks read since the last such message. */
export type TabMessage =
  | { readonly kind: "open"; readonly stream: number; readonly url: string }
  | { readonly kind: "close"; readonly stream: number }
  | { readonly kind: "read"; readonly stream: number; readonly chunks: number };

/** The HTTP status, then the body in chunks. `text`: body of a failure. */
type StreamMessage =
  | { readonly kind: "status"; readonly status: number; readonly text: string }
  | { readonly kind: "chunk"; readonly text: string }
  | { readonly kind: "end" };

/** Messages to a tab. */
export type HubMessage = StreamMessage & { readonly stream: number };

/** Limits of the messages that are stored so that tabs can resume. */
const MAX_REPLAY_MESSAGES = 2_000;
const MAX_REPLAY_CHARACTERS = 4 * 2 ** 20;
/** A tab with more unread chunks is disconnected. The tab can resume. */
const MAX_UNREAD_CHUNKS = 500;
const MAX_STREAMS = 200;

interface Subscriber {
  /** Id of the tab's last event. */
  readonly since: string | undefined;
  send(message: StreamMessage): void;
  unreadChunks: number;
}

const idOf = (message: string): string | undefined => /^id: ?(.*)$/m.exec(message)?.[1];

class Upstream {
  /** Subscribers that join when the stream is open and `#lastId` is known. */
  readonly #waiting = new Set<Subscriber>();
  readonly #joined = new Set<Subscriber>();
  readonly #abort = new AbortController();
  readonly #onEnd: () => void;
  #messages: string[] = [];
  #characters = 0;
  /** Id of the last event before `#messages`. */
  #startId: string | undefined;
  #lastId: string | undefined;
  #isOpen = false;

  constructor(fetch: StreamFetch, url: string, first: Subscriber, onEnd: () => void) {
    this.#onEnd = onEnd;
    this.#startId = first.since;
    this.#lastId = first.since;
    this.#joined.add(first);
    void this.#run(fetch, url);
  }

  add(subscriber: Subscriber): void {
    this.#waiting.add(subscriber);
    this.#joinWaiting();
  }

  remove(subscriber: Subscriber): void {
    this.#waiting.delete(subscriber);
    this.#joined.delete(subscriber);
    if (this.#waiting.size + this.#joined.size === 0) this.#end();
  }

  #end(): void {
    this.#onEnd();
    this.#abort.abort();
    for (const subscriber of [...this.#joined, ...this.#waiting]) subscriber.send({ kind: "end" });
    this.#joined.clear();
    this.#waiting.clear();
  }

  async #run(fetch: StreamFetch, url: string): Promise<void> {
    try {
      const { signal } = this.#abort;
      const answer = await fetch(url, { headers: { accept: "text/event-stream" }, signal });
      const { status, body } = answer;
      if (status !== 200 || body === null) {
        const text = await answer.text();
        for (const subscriber of [...this.#joined, ...this.#waiting])
          subscriber.send({ kind: "status", status, text });
      } else {
        this.#isOpen = true;
        for (const subscriber of this.#joined) subscriber.send({ kind: "status", status, text: "" });
        this.#joinWaiting();
        const reader = body.getReader();
        const decoder = new TextDecoder();
        let buffered = "";
        for (;;) {
          const { value, done } = await reader.read();
          if (done) break;
          buffered += decoder.decode(value, { stream: true });
          const end = buffered.lastIndexOf("\n\n") + 2;
          if (end < 2) continue;
          this.#forward(buffered.slice(0, end));
          buffered = buffered.slice(end);
        }
      }
    } catch {
      // Each tab opens a new stream when its stream ends.
    }
    this.#end();
  }

  /** @param text complete messages */
  #forward(text: string): void {
    for (const subscriber of this.#joined) {
      subscriber.send({ kind: "chunk", text });
      if (++subscriber.unreadChunks > MAX_UNREAD_CHUNKS) {
        subscriber.send({ kind: "end" });
        this.remove(subscriber);
      }
    }
    for (const message of text.split(/(?<=\n\n)/)) {
      this.#lastId = idOf(message) ?? this.#lastId;
      this.#startId ??= this.#lastId;
      this.#messages.push(message);
      this.#characters += message.length;
    }
    while (this.#messages.length > MAX_REPLAY_MESSAGES || this.#characters > MAX_REPLAY_CHARACTERS) {
      const oldest = this.#messages.shift() ?? "";
      this.#characters -= oldest.length;
      this.#startId = idOf(oldest) ?? this.#startId;
    }
    this.#joinWaiting();
  }

  #joinWaiting(): void {
    if (!this.#isOpen || this.#lastId === undefined) return;
    for (const subscriber of this.#waiting) {
      subscriber.send({ kind: "status", status: 200, text: "" });
      subscriber.send({ kind: "chunk", text: this.#messagesSince(subscriber.since) });
      this.#joined.add(subscriber);
    }
    this.#waiting.clear();
  }

  /** Messages after `since`; a `gap` event if they are not stored. */
  #messagesSince(since: string | undefined): string {
    const idLine = `id: ${this.#lastId}\n`;
    if (since === undefined || since === this.#lastId) return `${idLine}\n`;
    const index = since === this.#startId ? -1 : this.#messages.findLastIndex((text) => idOf(text) === since);
    if (since === this.#startId || index >= 0)
      return `${this.#messages.slice(index + 1).join("")}${idLine}\n`;
    const data = JSON.stringify({ since, message: "the events after this one are no longer stored" });
    return `event: gap\n${idLine}data: ${data}\n\n`;
  }
}

/** The key is the URL without `since`. Tabs with equal keys share a stream. */
function parseStreamUrl(url: string): { readonly key: string; readonly since: string | undefined } {
  const parsed = new URL(url);
  const since = parsed.searchParams.get("since") ?? undefined;
  parsed.searchParams.delete("since");
  return { key: parsed.href, since };
}

export class EventHub {
  readonly #fetch: StreamFetch;
  readonly #upstreams = new Map<string, Upstream>();
  #streamCount = 0;

  constructor(fetch: StreamFetch) {
    this.#fetch = fetch;
  }

  /** Adds a tab. @returns a function that receives the tab's messages */
  connect(post: (message: HubMessage) => void): (message: TabMessage) => void {
    const subscribers = new Map<number, { readonly subscriber: Subscriber; readonly upstream: Upstream }>();
    const close = (stream: number): void => {
      const found = subscribers.get(stream);
      if (found === undefined) return;
      subscribers.delete(stream);
      this.#streamCount--;
      found.upstream.remove(found.subscriber);
    };
    return (message) => {
      const { kind, stream } = message;
      if (kind === "close") return close(stream);
      if (kind === "read") {
        const found = subscribers.get(stream);
        if (found !== undefined) found.subscriber.unreadChunks -= message.chunks;
        return;
      }
      if (this.#streamCount >= MAX_STREAMS) return post({ kind: "end", stream });
      const { key, since } = parseStreamUrl(message.url);
      const subscriber: Subscriber = {
        since,
        unreadChunks: 0,
        send: (sent) => {
          post({ ...sent, stream });
          if (sent.kind === "end") close(stream);
        },
      };
      let upstream = this.#upstreams.get(key);
      if (upstream === undefined) {
        const created = new Upstream(this.#fetch, message.url, subscriber, () => {
          if (this.#upstreams.get(key) === created) this.#upstreams.delete(key);
        });
        upstream = created;
        this.#upstreams.set(key, upstream);
      } else upstream.add(subscriber);
      this.#streamCount++;
      subscribers.set(stream, { subscriber, upstream });
    };
  }
}
