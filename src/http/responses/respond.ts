/** Page 06 §2.2, §2.3. */
import type { Socket } from "node:net";
import type { FastifyReply } from "fastify";
import { type JsonOut, printJson } from "../../bytes/json.ts";
import { encodeUtf8 } from "../../bytes/utf8.ts";
import { ALLOW_ORIGIN_HEADER } from "../access/cors.ts";
import { type ApiFailure, failures } from "../errors.ts";
import type { RequestLimit } from "../metrics.ts";
import type { HttpSettings } from "../settings.ts";
import { applyEntityTag, cachedEntityTag, entityTag } from "./entity-tags.ts";
import { Reply, StreamingBody } from "./reply.ts";

export const JSON_TYPE = "application/json";

declare module "fastify" {
  interface FastifyContextConfig {
    /** Type of the route's JSON and failures; default `JSON_TYPE`. */
    jsonType?: string | undefined;
    hasEntityTag?: boolean;
  }
}

const RETRY_SECONDS = 5;

const asIs = (payload: unknown): string => payload as string;

/** Page 07 §3.2. */
export function sendFailure(reply: FastifyReply, { status, body }: ApiFailure): FastifyReply {
  const type = reply.request.routeOptions?.config?.jsonType ?? JSON_TYPE;
  if (status === 503) reply.header("retry-after", RETRY_SECONDS);
  // `encodeUtf8` replaces lone surrogates of quoted requests.
  return reply
    .code(status)
    .header("content-type", type)
    .send(encodeUtf8(printJson(body)));
}

/** @param refusal sent instead of a successful answer */
export function respond(reply: FastifyReply, answer: JsonOut | Reply, refusal: ApiFailure | undefined): void {
  const isReply = answer instanceof Reply;
  const { jsonType: json = JSON_TYPE, hasEntityTag } = reply.request.routeOptions.config;
  const type = isReply ? (answer.type ?? json) : json;
  const status = isReply ? answer.status : 200;
  if (refusal !== undefined && status === 200) {
    sendFailure(reply, refusal);
    return;
  }
  if (isReply) {
    if (answer.headers !== undefined) reply.headers(answer.headers);
    if (answer.onSent !== undefined) reply.raw.once("finish", answer.onSent);
    if (answer.body instanceof StreamingBody) {
      // Bypasses the hooks, which would compress the stream.
      reply.hijack();
      for (const [name, value] of Object.entries(reply.getHeaders()))
        if (value !== undefined) reply.raw.setHeader(name, value);
      reply.raw.writeHead(status, { "content-type": type });
      answer.body.start(reply.raw);
      return;
    }
  }
  const body = isReply ? answer.body : printJson(answer);
  if (status === 200 && hasEntityTag === true) {
    const tag = isReply ? cachedEntityTag(answer) : entityTag(body);
    if (applyEntityTag(reply, tag)) {
      reply.send();
      return;
    }
  }
  reply.code(status).header("content-type", type).serializer(asIs).send(body);
}

const FAILURES_BY_CODE: Readonly<Record<string, ApiFailure>> = {
  HPE_INVALID_METHOD: failures.unknownMethod,
  HPE_HEADER_OVERFLOW: failures.headersTooLarge,
  ERR_HTTP_REQUEST_TIMEOUT: failures.timeout,
};

const LIMITS_BY_CODE: Readonly<Record<string, RequestLimit>> = {
  HPE_HEADER_OVERFLOW: "header_size",
  ERR_HTTP_REQUEST_TIMEOUT: "request_timeout",
};

/** The handler answers requests that Node.js cannot parse, and closes the socket. */
export function createClientErrorHandler(
  { cors }: HttpSettings,
  limitReached: (limit: RequestLimit) => void,
): (error: Error & { code?: string }, socket: Socket) => void {
  const corsHeader = cors ? `${ALLOW_ORIGIN_HEADER}: *\r\n` : "";
  return (error, socket) => {
    if (error.code === "ECONNRESET" || !socket.writable) {
      socket.destroy();
      return;
    }
    const { status, body } = FAILURES_BY_CODE[error.code ?? ""] ?? failures.badRequest;
    const limit = LIMITS_BY_CODE[error.code ?? ""];
    if (limit !== undefined) limitReached(limit);
    const text = printJson(body);
    socket.end(
      `HTTP/1.1 ${status} ${body.message}\r\nContent-Type: ${JSON_TYPE}\r\n${corsHeader}` +
        `Content-Length: ${text.length}\r\nConnection: close\r\n\r\n${text}`,
    );
  };
}
