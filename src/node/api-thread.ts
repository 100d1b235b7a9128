/**
 * Entry of the HTTP thread: opens the store for reading, and serves over a port to the node (`api.ts` starts it).
 */
import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import type { ApiInfo } from "../api/info.ts";
import { serveOnPort } from "../api/worker.ts";
import { chainReader, type ReaderContext } from "../chain/reader.ts";
import type { Log } from "../interfaces.ts";
import { openStore } from "../storage/store.ts";
import { systemClock } from "./system.ts";

/** What the thread is started with. */
export interface ApiThreadData {
  readonly directory: string;
  readonly network: string;
  readonly context: ReaderContext;
  readonly info: ApiInfo;
  readonly host: string;
  readonly apiPort: number;
  readonly control: MessagePort;
}

/** What it tells the node's thread. */
export type ApiThreadMessage =
  | { readonly kind: "listening"; readonly apiPort: number }
  | {
      readonly kind: "failed";
      readonly error: { readonly message: string; readonly code?: string; readonly syscall?: string };
    }
  | {
      readonly kind: "log";
      readonly level: keyof Log;
      readonly message: string;
      readonly facts: Record<string, unknown> | undefined;
    };

if (parentPort === null) throw new Error("This file is the entry of a thread");
const parent = parentPort;
const data = workerData as ApiThreadData;
const tell = (message: ApiThreadMessage): void => parent.postMessage(message);

const logAt =
  (level: keyof Log) =>
  (message: string, facts?: Record<string, unknown>): void =>
    tell({ kind: "log", level, message, facts });
const log: Log = { debug: logAt("debug"), info: logAt("info"), warn: logAt("warn"), error: logAt("error") };

const store = await openStore(data.directory, { network: data.network, readOnly: true });
try {
  const server = await serveOnPort({
    port: data.control,
    reader: chainReader(store, data.context),
    info: data.info,
    clock: systemClock,
    log,
    host: data.host,
    apiPort: data.apiPort,
  });
  // The only message of the other side: it is time to end.
  parent.once("message", async () => {
    await server.close();
    await store.close();
    data.control.close();
    parent.close();
  });
  tell({ kind: "listening", apiPort: server.apiPort });
} catch (error) {
  const { message, code, syscall } = error as NodeJS.ErrnoException;
  await store.close();
  data.control.close();
  tell({ kind: "failed", error: { message, ...(code && { code }), ...(syscall && { syscall }) } });
  parent.close();
}
