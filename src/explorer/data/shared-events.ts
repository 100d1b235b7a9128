/** Opens event streams in the shared worker, or directly if the browser has none. */
import type { StreamFetch } from "../../client/index.ts";
import type { HubMessage, TabMessage } from "./event-hub.ts";

export interface HubPort {
  post(message: TabMessage): void;
  onMessage(listener: (message: HubMessage) => void): void;
  onFailure(listener: () => void): void;
}

/** A tab reports after this many read chunks. */
const READ_REPORT_CHUNKS = 50;

interface OpenStream {
  receive(message: HubMessage): void;
  fail(): void;
}

class ChunkStream {
  readonly stream: ReadableStream<Uint8Array>;
  readonly #chunks: string[] = [];
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  #isEnded = false;
  #wake = (): void => {};

  constructor(onRead: (chunks: number) => void, onCancel: () => void) {
    const encoder = new TextEncoder();
    let read = 0;
    this.stream = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller;
        },
        pull: async (controller) => {
          while (this.#chunks.length === 0 && !this.#isEnded)
            await new Promise<void>((resolve) => {
              this.#wake = resolve;
            });
          const chunk = this.#chunks.shift();
          if (chunk === undefined) return controller.close();
          controller.enqueue(encoder.encode(chunk));
          if (++read < READ_REPORT_CHUNKS) return;
          onRead(read);
          read = 0;
        },
        cancel: onCancel,
      },
      // Request a chunk only when it is read.
      { highWaterMark: 0 },
    );
  }

  add(chunk: string): void {
    this.#chunks.push(chunk);
    this.#wake();
  }

  end(): void {
    this.#isEnded = true;
    this.#wake();
  }

  fail(reason: unknown): void {
    this.#controller?.error(reason);
  }
}

/** @param direct used after the worker fails */
export function eventsThroughHub(port: HubPort, direct: StreamFetch): StreamFetch {
  const streams = new Map<number, OpenStream>();
  let hasFailed = false;
  let lastStream = 0;
  port.onMessage((message) => streams.get(message.stream)?.receive(message));
  port.onFailure(() => {
    hasFailed = true;
    for (const stream of streams.values()) stream.fail();
    streams.clear();
  });
  return (url, init) => {
    if (hasFailed) return direct(url, init);
    const stream = ++lastStream;
    return new Promise((resolve, reject) => {
      const body = new ChunkStream(
        (chunks) => port.post({ kind: "read", stream, chunks }),
        () => close(),
      );
      let isAnswered = false;
      const unregister = (): void => {
        streams.delete(stream);
        init.signal.removeEventListener("abort", abort);
      };
      const close = (): void => {
        unregister();
        port.post({ kind: "close", stream });
      };
      const abort = (): void => {
        close();
        const reason = new DOMException("The stream was closed", "AbortError");
        if (isAnswered) body.fail(reason);
        else reject(reason);
      };
      streams.set(stream, {
        receive: (message) => {
          if (message.kind === "chunk") body.add(message.text);
          else if (message.kind === "status") {
            isAnswered = true;
            const { status, text } = message;
            resolve({ status, body: status === 200 ? body.stream : null, text: async () => text });
          } else {
            unregister();
            if (isAnswered) body.end();
            else reject(new TypeError("The stream ended"));
          }
        },
        fail: () => {
          init.signal.removeEventListener("abort", abort);
          if (isAnswered) body.end();
          else resolve(direct(url, init));
        },
      });
      init.signal.addEventListener("abort", abort);
      port.post({ kind: "open", stream, url });
    });
  };
}

/** Undefined if the browser has no shared workers. Must be called once. */
export function startEventWorker(): HubPort | undefined {
  if (typeof SharedWorker === "undefined") return undefined;
  const worker = new SharedWorker(new URL("./event-worker.ts", import.meta.url), {
    type: "module",
    name: "events",
  });
  const { port } = worker;
  return {
    post: (message) => port.postMessage(message),
    onMessage: (listener) => (port.onmessage = ({ data }: MessageEvent<HubMessage>) => listener(data)),
    onFailure: (listener) => (worker.onerror = listener),
  };
}
