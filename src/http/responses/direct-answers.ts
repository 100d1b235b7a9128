/** Answers repeated GET requests from the response cache without Fastify, with the headers that Fastify sent before. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { FastifyReply } from "fastify";
import { AT_LEAST_HEADER } from "../requests/headers.ts";
import { CHUNK_BYTES, type ResponseBackpressure } from "./backpressure.ts";
import type { Reply, SentAnswer } from "./reply.ts";
import type { ResponseCache } from "./response-cache.ts";

/** An answer with one of these headers suits only the client that received it. */
const CLIENT_SPECIFIC_HEADERS = ["connection", "content-encoding", "retry-after"];

interface Dependencies {
  readonly cache: ResponseCache;
  readonly backpressure: ResponseBackpressure;
  /** Identifies the chain's state. */
  readonly state: () => string;
  /** Returns false if a general rule, such as the rate limit, may refuse the request: then Fastify answers. */
  readonly isAllowed: (request: IncomingMessage) => boolean;
}

export class DirectAnswers {
  readonly #cache: ResponseCache;
  readonly #backpressure: ResponseBackpressure;
  readonly #state: () => string;
  readonly #isAllowed: (request: IncomingMessage) => boolean;
  #isClosed = false;

  constructor({ cache, backpressure, state, isAllowed }: Dependencies) {
    this.#cache = cache;
    this.#backpressure = backpressure;
    this.#state = state;
    this.#isAllowed = isAllowed;
  }

  /** Stores what Fastify sent. Only for routes without API key that are cached by URL. */
  remember(
    fastifyReply: FastifyReply,
    answer: Reply,
    { counter, isAcceptable }: Pick<SentAnswer, "counter" | "isAcceptable">,
  ): void {
    const { raw, request } = fastifyReply;
    const { body } = answer;
    // `answer` looks up the original URL.
    if (answer.sent !== undefined || request.method !== "GET" || request.originalUrl !== request.url) return;
    if (!raw.headersSent || raw.statusCode !== 200) return;
    if (typeof body !== "string" && !(body instanceof Uint8Array)) return;
    const bytes = Buffer.byteLength(body);
    if (bytes > CHUNK_BYTES) return;
    const headers = fastifyReply.getHeaders();
    if (CLIENT_SPECIFIC_HEADERS.some((name) => headers[name] !== undefined)) return;
    const { vary } = headers;
    if (vary !== undefined && vary !== "Accept-Encoding") return;
    answer.sent = {
      body,
      bytes,
      headers: Object.entries(headers).flatMap(([name, value]) => [name, String(value)]),
      isCompressible: vary !== undefined,
      hasEntityTag: headers.etag !== undefined,
      counter,
      isAcceptable,
    };
  }

  /** Returns false if Fastify must answer the request. */
  answer(request: IncomingMessage, response: ServerResponse): boolean {
    const { headers, method, url } = request;
    if (method !== "GET" || url === undefined || this.#isClosed) return false;
    if (headers["content-length"] !== undefined || headers["transfer-encoding"] !== undefined) return false;
    // The request may have to wait for a chain position.
    if (headers[AT_LEAST_HEADER] !== undefined) return false;
    const sent = this.#cache.find(this.#state(), url)?.sent;
    if (sent === undefined) return false;
    if (sent.isCompressible && headers["accept-encoding"] !== undefined) return false;
    if (sent.hasEntityTag && headers["if-none-match"] !== undefined) return false;
    if (!sent.isAcceptable(headers) || !this.#isAllowed(request)) return false;
    request.answerCounter = sent.counter;
    // Node.js does not change the list.
    response.writeHead(200, sent.headers as string[]);
    response.end(sent.body);
    // Usually the socket accepts the whole answer at once.
    if (response.writableLength > 0) this.#backpressure.track(response, sent.bytes);
    return true;
  }

  /** While the server closes, Fastify answers. */
  close(): void {
    this.#isClosed = true;
  }
}
