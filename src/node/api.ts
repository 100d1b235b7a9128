import { readFileSync } from "node:fs";
import { MessageChannel, Worker } from "node:worker_threads";
import { answerControl } from "../api/control-port.ts";
import type { ApiInfo } from "../api/info.ts";
import { serveOnPort } from "../api/worker.ts";
import { chainReader, type ReaderContext } from "../chain/reader.ts";
import { isLoopback } from "../config/hosts.ts";
import type { Settings } from "../config/settings.ts";
import type { TrustSettings } from "../indexes/trust.ts";
import type { Clock, Log, NodeControl } from "../interfaces.ts";
import type { Store } from "../storage/store.ts";
import type { ApiThreadData, ApiThreadMessage } from "./api-thread.ts";
import { chainDirectory, networkIdentity, readerContext } from "./parts.ts";

/** Largest request body: 1 MiB. Page 06 §2.1. */
const BODY_LIMIT = 1_048_576;
const MINUTE_MS = 60_000;

/** The HTTP interface, open. */
export interface ApiServer {
  /** `http://<host>:<port>` as it listens. */
  readonly url: string;
  close(): Promise<void>;
}

export interface ApiParts {
  readonly settings: Settings;
  readonly trust: TrustSettings;
  readonly store: Store;
  readonly control: NodeControl;
  readonly clock: Clock;
  readonly log: Log;
}

/** Version of the package. */
export function packageVersion(): string {
  // The same path from src/node and from dist/node.
  const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  return (JSON.parse(text) as { version: string }).version;
}

/** Whether the routes that ask for a key are open: on dev, on loopback, without a key. Page 00, part B, row 5. */
export function hasOpenKeyRoutes(settings: Settings): boolean {
  const { profile, apiKeyHash, apiHost } = settings;
  return profile.name === "dev" && apiKeyHash === undefined && isLoopback(apiHost);
}

/** What the HTTP layer is told about node and network. */
export function apiInfo(settings: Settings): ApiInfo {
  const { profile, rateLimit } = settings;
  return {
    network: profile,
    version: packageVersion(),
    apiKeyHash: settings.apiKeyHash,
    openKeyRoutes: hasOpenKeyRoutes(settings),
    authToken: settings.authToken?.reveal(),
    bodyLimit: BODY_LIMIT,
    rateLimit: rateLimit === 0 ? undefined : { requests: rateLimit, windowMs: MINUTE_MS },
    cors: settings.cors,
    apiKeyDifferentHost: settings.apiKeyDifferentHost,
    indexAll: settings.indexAllTransactions,
    didResponse: settings.didDefaultResponse,
    configuration: settings.shown,
  };
}

/** Opens the HTTP interface in a thread of its own, over a read-only view of the same store. */
export function startApiThread(parts: ApiParts): Promise<ApiServer> {
  const { settings, trust, control, log } = parts;
  const { port1, port2 } = new MessageChannel();
  answerControl(port1, control);
  const data: ApiThreadData = {
    directory: chainDirectory(settings),
    network: networkIdentity(settings.profile),
    context: readerContext(settings.profile, settings, trust),
    info: apiInfo(settings),
    host: settings.apiHost,
    apiPort: settings.apiPort,
    control: port2,
  };
  const worker = new Worker(new URL("./api-thread.js", import.meta.url), {
    workerData: data,
    transferList: [port2],
  });
  const ended = new Promise<void>((resolve) => {
    worker.once("exit", () => {
      port1.close();
      resolve();
    });
  });
  return new Promise((resolve, reject) => {
    worker.on("error", (error) => {
      log.error("The HTTP thread failed", { error });
      reject(error);
    });
    worker.on("message", (message: ApiThreadMessage) => {
      switch (message.kind) {
        case "log":
          log[message.level](message.message, message.facts);
          break;
        case "failed":
          ended.then(() => reject(Object.assign(new Error(message.error.message), message.error)));
          break;
        case "listening":
          resolve({
            url: urlOf(settings.apiHost, message.apiPort),
            close: () => {
              worker.postMessage("end");
              return ended;
            },
          });
      }
    });
  });
}

/** The same in the thread of the caller: for tests, which run the sources as they are. */
export async function startApiInline(parts: ApiParts): Promise<ApiServer> {
  const { settings, trust, store, control, clock, log } = parts;
  const { port1, port2 } = new MessageChannel();
  answerControl(port1, control);
  const context: ReaderContext = readerContext(settings.profile, settings, trust);
  const server = await serveOnPort({
    port: port2,
    reader: chainReader(store, context),
    info: apiInfo(settings),
    clock,
    log,
    host: settings.apiHost,
    apiPort: settings.apiPort,
  });
  return {
    url: urlOf(settings.apiHost, server.apiPort),
    close: async () => {
      await server.close();
      port1.close();
    },
  };
}

function urlOf(host: string, port: number): string {
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
}
