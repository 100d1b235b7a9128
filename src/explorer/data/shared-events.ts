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

/** @param direct used after the worker fails */
export function eventsThroughHub(port: HubPort, direct: StreamFetch): StreamFetch {
  const streams = new Map<number, OpenStream>();
  let hasFailed = false;
  let lastStream = 0;
  port.onMessage((message) => streams.get(message.stream)?.receive(message));
  port.onFailure(() => {
    hasFailed = true;
    for (const stream of streams.values()) stream.fail();
  });
  return (url, init) => {
    if (hasFailed) return direct(url, init);
    const stream = ++lastStream;
    return new Promise((resolve, reject) => {
      const body = new TextEncoderStream();
      const chunks = body.writable.getWriter();
      let isAnswered = false;
      let unreported = 0;
      const countRead = (): void => {
        if (++unreported < READ_REPORT_CHUNKS) return;
        port.post({ kind: "read", stream, chunks: unreported });
        unreported = 0;
      };
      const end = (): void => {
        streams.delete(stream);
        chunks.close().catch(() => {});
      };
      // The reader has cancelled the stream, or `signal` has aborted.
      chunks.closed.catch(() => {
        streams.delete(stream);
        port.post({ kind: "close", stream });
      });
      streams.set(stream, {
        receive: (message) => {
          // A chunk is written when it is read.
          if (message.kind === "chunk") chunks.write(message.text).then(countRead, () => {});
          else if (message.kind === "status") {
            isAnswered = true;
            const { status, text } = message;
            resolve({ status, body: status === 200 ? body.readable : null, text: async () => text });
          } else {
            end();
            reject(new TypeError("The stream ended"));
          }
        },
        fail: () => {
          end();
          if (!isAnswered) resolve(direct(url, init));
        },
      });
      init.signal.addEventListener("abort", () => {
        reject(init.signal.reason);
        void chunks.abort(init.signal.reason);
      });
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
