import { type JsonOut, printJson } from "../../bytes/json.ts";
import type { PageFetch } from "../data/node-api.ts";

/** An answer that a test defines. */
export interface ScriptedAnswer {
  /** 200 by default. */
  readonly status?: number;
  /** JSON value; a string becomes an HTML body. */
  readonly json: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** One connection of `/events`. */
export interface ScriptedStream {
  readonly url: URL;
  /** Sends an event with its id, or only an id. */
  tell(id: string | undefined, event?: string, data?: unknown): void;
  /** Ends the connection. */
  end(): void;
  readonly isEnded: boolean;
}

/** A node with scripted answers and event streams. */
export class ScriptedNode {
  /** Answers by path and query. */
  readonly answers = new Map<string, ScriptedAnswer | (() => ScriptedAnswer)>();
  readonly asked: string[] = [];
  readonly streams: ScriptedStream[] = [];
  /** If false, connections fail. */
  isThere = true;
  /** Status of `/events`; 200 opens a stream. */
  eventsStatus = 200;

  readonly fetch: PageFetch = async (url: string, init: { readonly signal: AbortSignal }) => {
    if (!this.isThere) throw new TypeError("fetch failed");
    const { pathname, search } = new URL(url);
    if (pathname === "/events") return this.#stream(url, init.signal);
    this.asked.push(pathname + search);
    const found = this.answers.get(pathname + search);
    const answer = typeof found === "function" ? found() : found;
    if (answer === undefined) return response(404, { error: 404, message: "nothing is there" });
    return response(answer.status ?? 200, answer.json, answer.headers);
  };

  /** The newest stream. */
  get stream(): ScriptedStream {
    const stream = this.streams.at(-1);
    if (stream === undefined) throw new Error("no stream was opened");
    return stream;
  }

  #stream(url: string, signal: AbortSignal): Response {
    if (this.eventsStatus !== 200) return response(this.eventsStatus, { message: "no" });
    let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
    let isEnded = false;
    const end = (): void => {
      if (isEnded) return;
      isEnded = true;
      controller?.close();
    };
    const body = new ReadableStream<Uint8Array>({
      start(streamController) {
        controller = streamController;
      },
      cancel() {
        isEnded = true;
      },
    });
    signal.addEventListener("abort", () => {
      if (!isEnded) controller?.error(new Error("aborted"));
      isEnded = true;
    });
    this.streams.push({
      url: new URL(url),
      tell: (id, event, data) => {
        const lines = [
          ...(event === undefined ? [] : [`event: ${event}`]),
          ...(id === undefined ? [] : [`id: ${id}`]),
          ...(data === undefined ? [] : [`data: ${JSON.stringify(data)}`]),
        ];
        controller?.enqueue(new TextEncoder().encode(`${lines.join("\n")}\n\n`));
      },
      end,
      get isEnded() {
        return isEnded;
      },
    });
    return new Response(body, { status: 200, headers: { "content-type": "text/event-stream" } });
  }
}

function response(status: number, json: unknown, headers: Readonly<Record<string, string>> = {}): Response {
  // Tests pass JSON values and bigints.
  const text = typeof json === "string" ? json : printJson(json as JsonOut);
  const type = typeof json === "string" ? "text/html" : "application/json";
  return new Response(text, { status, headers: { "content-type": type, ...headers } });
}

/** Runs all pending promise callbacks. */
export async function settled(): Promise<void> {
  for (let i = 0; i < 20; i++) await new Promise((resolve) => setImmediate(resolve));
}
