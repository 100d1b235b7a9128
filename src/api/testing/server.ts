/** The HTTP server with a fake node and chain, for tests. */
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import type { FastifyInstance, InjectOptions, LightMyRequestResponse as InjectResponse } from "fastify";
import { encodeUtf8 } from "../../bytes/utf8.ts";
import { checkAnswer } from "../../client/testing/check-answer.ts";
import type { NodeControl } from "../../control/index.ts";
import { secureHash } from "../../crypto/hashes.ts";
import type { NamedKeys } from "../../http/access/named-keys.ts";
import type { Clock, Log } from "../../interfaces.ts";
import { dev } from "../../profiles/index.ts";
import type { Metrics } from "../../runtime/metrics.ts";
import type { ApiInfo } from "../info.ts";
import type { ReaderThread } from "../reading/reader-queue.ts";
import { createServer } from "../server/server.ts";
import { fakeControl } from "./control.ts";
import { fakeReader, fakeSnapshot, type SnapshotOverrides } from "./snapshot.ts";

/** The API key of `testInfo`. */
export const API_KEY = "open";

/** Returns the properties of a node of the development network with an API key. */
export function testInfo(overrides: Partial<ApiInfo> = {}): ApiInfo {
  return {
    network: dev,
    version: "1.2.3",
    apiKeyHash: secureHash(encodeUtf8(API_KEY)),
    hasOpenKeyRoutes: false,
    maxBodyBytes: 1_048_576,
    cors: true,
    apiKeyDifferentHost: false,
    didResponse: "document",
    configuration: {},
    ...overrides,
  };
}

export interface MemoryLog extends Log {
  readonly lines: string[];
}

export function memoryLog(): MemoryLog {
  const lines: string[] = [];
  const store = (message: string, fields?: Record<string, unknown>): void => {
    lines.push(`${message} ${JSON.stringify(fields)}`);
  };
  return { lines, debug: store, info: store, warn: store, error: store };
}

/** Time of all test servers, ms since 1970. */
export const NOW = 1_700_000_000_000;

interface ServerOptions {
  readonly chain?: SnapshotOverrides;
  readonly control?: NodeControl;
  readonly info?: Partial<ApiInfo>;
  readonly namedKeys?: NamedKeys;
  readonly log?: Log;
  /** A clock that always returns `NOW` by default. */
  readonly clock?: Clock;
  readonly readerThreads?: readonly ReaderThread[];
  readonly metrics?: Metrics;
}

/** Creates a server for `inject`, whose answers are not checked, so that the test may use any data. */
export function bareServer(options: ServerOptions = {}): Promise<FastifyInstance> {
  const { chain, control, log = memoryLog(), readerThreads } = options;
  const info = testInfo(options.info);
  return createServer({
    reader: fakeReader(fakeSnapshot(chain)),
    control: control ?? fakeControl([], info.network.chainId),
    events: { onCommit: () => () => {} },
    info,
    namedKeys: options.namedKeys,
    clock: options.clock ?? {
      now: () => NOW,
      system: () => NOW,
      monotonic: () => NOW,
      after: () => () => {},
    },
    log,
    readerThreads,
    metrics: options.metrics,
  });
}

/** Creates a server for `inject` that checks each answer against the description of its route. */
export async function testServer(options: ServerOptions = {}): Promise<FastifyInstance> {
  return withCheckedAnswers(await bareServer(options), options.info?.prefix);
}

/** Returns the decompressed text of an answer. */
export function plainBody({ headers, rawPayload, body }: InjectResponse): string {
  switch (headers["content-encoding"]) {
    case "gzip":
      return gunzipSync(rawPayload).toString("utf8");
    case "br":
      return brotliDecompressSync(rawPayload).toString("utf8");
    default:
      return body;
  }
}

function withCheckedAnswers(server: FastifyInstance, prefix = ""): FastifyInstance {
  const inject = server.inject.bind(server) as (options: InjectOptions) => Promise<InjectResponse>;
  const checked = async (options: InjectOptions | string): Promise<InjectResponse> => {
    const request = typeof options === "string" ? { url: options } : options;
    const answer = await inject(request);
    const { statusCode: status } = answer;
    const body = plainBody(answer);
    const contentType = answer.headers["content-type"] as string | undefined;
    const url = typeof request.url === "string" ? request.url : (request.url?.pathname ?? request.path ?? "");
    const path = prefix === "" ? String(url) : new URL(`http://node${url}`).pathname.replace(prefix, "");
    checkAnswer(request.method ?? "GET", path === "" ? "/" : path, { status, contentType, body });
    return answer;
  };
  // Tests use only the form of `inject` that returns a promise.
  return Object.assign(server, { inject: checked as FastifyInstance["inject"] });
}
