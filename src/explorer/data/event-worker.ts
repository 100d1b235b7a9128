import { EventHub, type TabMessage } from "./event-hub.ts";

interface WorkerScope {
  onconnect: ((event: MessageEvent) => void) | null;
}

const hub = new EventHub((url, init) => fetch(url, init));
// Safe cast: this file runs only as a shared worker.
(globalThis as unknown as WorkerScope).onconnect = ({ ports: [port] }) => {
  const receive = hub.connect((message) => port.postMessage(message));
  port.onmessage = ({ data }: MessageEvent<TabMessage>) => receive(data);
};
