import {
  type ClientRequest,
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingMessage,
} from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import type { Clock } from "../../interfaces.ts";
import { ApiError, failure } from "../errors.ts";

/**
 * Total time to find a source that begins to answer a repeatable request, or accepts the connection for any other. A
 * request's `waitMs` is added to the time to answer.
 */
const SEARCH_TIMEOUT_MS = 2_000;
/** Time to answer a request that is not repeatable: a little more than the source's call timeout, 20 s. */
const ANSWER_TIMEOUT_MS = 22_000;
/** Limit per source. */
const MAX_IDLE_CONNECTIONS = 16;
/** Limit per source; further requests wait. */
const MAX_CONNECTIONS = 128;
/** Larger answers are cut off. */
export const MAX_FORWARDED_ANSWER_BYTES = 256 * 2 ** 20;

export interface ForwardedRequest {
  readonly method: string;
  /** Path and query, without this server's prefix. */
  readonly target: string;
  /** Header names in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: Uint8Array | undefined;
  /** False if at most one source may receive the request. */
  readonly isRepeatable: boolean;
  /** Time for which the source may wait before it answers, ms. */
  readonly waitMs?: number | undefined;
}

export interface ForwardedAnswer {
  /** URL of the source that answered. */
  readonly source: string;
  readonly message: IncomingMessage;
}

class NoAnswerError extends Error {
  override readonly name = "NoAnswerError";
  /** False if the source certainly did not receive the request. */
  readonly mayBeReceived: boolean;

  constructor(message: string, mayBeReceived: boolean) {
    super(message);
    this.mayBeReceived = mayBeReceived;
  }
}

interface ForwarderOptions {
  /** URLs with an optional path prefix. */
  readonly sources: readonly string[];
  /** Index of the first source to ask. */
  readonly preferred: () => number;
  /** Certificate authorities in PEM. */
  readonly ca?: string | undefined;
  readonly clock: Pick<Clock, "after" | "monotonic">;
}

export class Forwarder {
  readonly #options: ForwarderOptions;
  readonly #agents: { readonly http: HttpAgent; readonly https: HttpsAgent };

  constructor(options: ForwarderOptions) {
    this.#options = options;
    const limits = { keepAlive: true, maxSockets: MAX_CONNECTIONS, maxFreeSockets: MAX_IDLE_CONNECTIONS };
    this.#agents = { http: new HttpAgent(limits), https: new HttpsAgent(limits) };
  }

  /**
   * Asks the sources in turn. If the request is not repeatable, asks the next source only if the previous one certainly
   * did not receive it.
   * @throws ApiError 503 with the reason if no source answers
   */
  async forward(request: ForwardedRequest, signal: AbortSignal): Promise<ForwardedAnswer> {
    const { sources, preferred, clock } = this.#options;
    const first = Math.min(Math.max(preferred(), 0), sources.length - 1);
    const order = [...sources.slice(first), ...sources.slice(0, first)];
    const start = clock.monotonic();
    const reasons: string[] = [];
    for (const [i, source] of order.entries()) {
      const timeLeft = SEARCH_TIMEOUT_MS - (clock.monotonic() - start);
      const isLast = i === order.length - 1;
      const timeoutMs = Math.max(timeLeft, 0) / (order.length - i);
      try {
        const message = await this.#ask(source, request, timeoutMs, signal);
        if (message.statusCode !== 503 || isLast || !request.isRepeatable) return { source, message };
        message.resume();
        reasons.push(`${source}: status 503`);
      } catch (error) {
        if (!(error instanceof NoAnswerError)) throw error;
        reasons.push(`${source}: ${error.message}`);
        if (error.mayBeReceived && !request.isRepeatable) break;
      }
      if (signal.aborted) break;
    }
    throw new ApiError(failure(503, 503, `no source answers (${reasons.join("; ")})`));
  }

  close(): void {
    this.#agents.http.destroy();
    this.#agents.https.destroy();
  }

  #ask(
    source: string,
    { method, target, headers, body, isRepeatable, waitMs = 0 }: ForwardedRequest,
    timeoutMs: number,
    signal: AbortSignal,
  ): Promise<IncomingMessage> {
    const { clock, ca } = this.#options;
    const url = new URL(source);
    const isHttps = url.protocol === "https:";
    // If a reused connection fails, a request that must not be repeated may have arrived.
    // Waiting requests would use up the agent's connections.
    const usesAgent = isRepeatable && waitMs === 0;
    const agent = usesAgent ? (isHttps ? this.#agents.https : this.#agents.http) : false;
    const options = {
      method,
      path: url.pathname.replace(/\/$/, "") + target,
      host: url.hostname.replace(/^\[|\]$/g, ""),
      port: url.port === "" ? undefined : url.port,
      headers: { ...headers, "content-length": String(body?.length ?? 0) },
      agent,
      signal,
      setHost: true,
    };
    return new Promise((resolve, reject) => {
      let isConnected = false;
      const sent: ClientRequest = isHttps ? httpsRequest({ ...options, ca }) : httpRequest(options);
      const failAfter = (ms: number, missing: string) =>
        clock.after(ms, () => sent.destroy(new Error(`${missing} within ${Math.round(ms)} ms`)));
      let cancel = failAfter(timeoutMs, usesAgent ? "no answer" : "no connection");
      const onConnected = (): void => {
        isConnected = true;
        if (usesAgent) return;
        cancel();
        cancel = failAfter(isRepeatable ? timeoutMs + waitMs : ANSWER_TIMEOUT_MS, "no answer");
      };
      sent.once("socket", (socket) => {
        if (sent.reusedSocket) onConnected();
        else socket.once(isHttps ? "secureConnect" : "connect", onConnected);
      });
      sent.once("response", (message) => {
        cancel();
        resolve(message);
      });
      sent.on("error", (error: NodeJS.ErrnoException) => {
        cancel();
        reject(
          new NoAnswerError(error.message === "" ? (error.code ?? error.name) : error.message, isConnected),
        );
      });
      // If the answer upgrades the connection, Node.js emits neither `response` nor `error`.
      sent.once("close", () => {
        cancel();
        reject(new NoAnswerError("the connection was closed", isConnected));
      });
      sent.end(body);
    });
  }
}
