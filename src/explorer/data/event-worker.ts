/** The shared worker of all tabs: it holds the event streams. */
import { EventHub, type TabMessage } from "./event-hub.ts";

/** The part of `SharedWorkerGlobalScope` that is used; the page's types do not define it. */
interface WorkerScope {
  onconnect: ((event: MessageEvent) => void) | null;
}

const hub = new EventHub((url, init) => fetch(url, init));
// Safe cast: this file runs only as a shared worker.
(globalThis as unknown as WorkerScope).onconnect = ({ ports: [port] }) => {
  const receive = hub.connect((message) => port.postMessage(message));
  port.onmessage = ({ data }: MessageEvent<TabMessage>) => receive(data);
};
