import { readFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import type { ApiInfo } from "../api/info.ts";
import { createServer } from "../api/server.ts";
import { chainReader } from "../chain/reader.ts";
import { isLoopback } from "../config/hosts.ts";
import type { Settings } from "../config/settings.ts";
import type { TrustSettings } from "../indexes/trust.ts";
import type { Clock, Log, NodeControl } from "../interfaces.ts";
import type { Store } from "../storage/store.ts";
import { readerContext } from "./parts.ts";

/** Largest request body: 1 MiB. Page 06 §2.1. */
const BODY_LIMIT = 1_048_576;
const MINUTE_MS = 60_000;

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

/** Opens the HTTP interface in this thread. */
export async function startApi(parts: ApiParts): Promise<ApiServer> {
  const { settings, trust, store, control, clock, log } = parts;
  const server = await createServer({
    reader: chainReader(store, readerContext(settings.profile, settings, trust)),
    control,
    info: apiInfo(settings),
    clock,
    log,
  });
  await server.listen({ host: settings.apiHost, port: settings.apiPort });
  const { port } = server.server.address() as AddressInfo;
  const host = settings.apiHost.includes(":") ? `[${settings.apiHost}]` : settings.apiHost;
  return { url: `http://${host}:${port}`, close: () => server.close() };
}
