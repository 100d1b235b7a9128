/** How answers and failures are written to a client. Page 06 §2.2, §2.3. */
import type { Socket } from "node:net";
import type { FastifyReply } from "fastify";
import { printJson } from "../../bytes/json.ts";
import { encodeUtf8 } from "../../bytes/utf8.ts";
import { accepts, acceptsUtf8 } from "./accept.ts";
import { ANY_ORIGIN } from "./cors.ts";
import { type ApiFailure, failures } from "./errors.ts";
import { type Headers, header, varyBy } from "./headers.ts";
import type { ApiInfo } from "./info.ts";
import { Ongoing, Reply } from "./reply.ts";
import { type Answer, isTagged, type Route } from "./route.ts";
import { entityTag, isKnown, tagOf } from "./validators.ts";

const NODE_JSON = "application/json";
const INDEX_JSON = "application/json; charset=utf-8";

/** When to try again what was too much for the moment. */
const RETRY_SECONDS = 5;

/** Printed text goes out as it is: Fastify would add a charset to the type of JSON. */
const asIs = (payload: unknown): string => payload as string;

/** Sends a failure, labelled as the JSON of the route's family. Page 07 §3.2. */
export function sendFailure(reply: FastifyReply, { status, body }: ApiFailure): FastifyReply {
  const isIndex = reply.request.routeOptions?.config?.isIndex === true;
  const type = isIndex ? INDEX_JSON : NODE_JSON;
  if (status === 503) reply.header("retry-after", RETRY_SECONDS);
  // What is quoted of a request may hold half of a surrogate pair, which is a question mark in bytes.
  return reply
    .code(status)
    .header("content-type", type)
    .send(encodeUtf8(printJson(body)));
}

/**
 * What a client is answered that does not take what the route sends; undefined when it does, and for the indexer, which
 * does not ask. Errors and redirects are sent whatever a client takes. Page 06 §2.3.
 */
export function unacceptable(route: Route, headers: Headers): ApiFailure | undefined {
  if (route.family !== undefined) return undefined;
  const taken =
    accepts(header(headers, "accept"), route.answerType ?? NODE_JSON) &&
    acceptsUtf8(header(headers, "accept-charset"));
  return taken ? undefined : (route.unacceptable ?? failures.notFound);
}

/**
 * Sends what a handler answered.
 * @param refusal goes out instead of a success
 */
export function send(
  reply: FastifyReply,
  route: Route,
  answer: Answer,
  refusal: ApiFailure | undefined,
): void {
  const isReply = answer instanceof Reply;
  const json = route.family === "index" ? INDEX_JSON : NODE_JSON;
  const type = isReply ? (answer.type ?? json) : json;
  const status = isReply ? answer.status : 200;
  if (refusal !== undefined && status === 200) {
    sendFailure(reply, refusal);
    return;
  }
  if (isReply) {
    if (answer.headers !== undefined) reply.headers(answer.headers);
    if (answer.sent !== undefined) reply.raw.once("finish", answer.sent);
    if (answer.body instanceof Ongoing) {
      // Nothing that makes an answer shorter or counts it as a whole may touch it.
      reply.hijack();
      for (const [name, value] of Object.entries(reply.getHeaders()))
        if (value !== undefined) reply.raw.setHeader(name, value);
      reply.raw.writeHead(status, { "content-type": type });
      answer.body.start(reply.raw);
      return;
    }
  }
  const body = isReply ? answer.body : printJson(answer);
  if (status === 200 && isTagged(route)) {
    const tag = isReply ? tagOf(answer) : entityTag(body);
    const known = header(reply.request.headers, "if-none-match");
    if (tag !== undefined) reply.header("etag", tag);
    if (tag !== undefined && known !== undefined && isKnown(known, tag)) {
      varyBy(reply, "Accept-Encoding");
      reply.code(304).send();
      return;
    }
  }
  reply.code(status).header("content-type", type).serializer(asIs).send(body);
}

const BY_CODE: Readonly<Record<string, ApiFailure>> = {
  HPE_INVALID_METHOD: failures.unknownMethod,
  HPE_HEADER_OVERFLOW: failures.headersTooLarge,
  ERR_HTTP_REQUEST_TIMEOUT: failures.timeout,
};

/** What keeps the connection itself from making sense. The socket is closed behind the answer. */
export function refuseConnection({
  cors,
}: ApiInfo): (error: Error & { code?: string }, socket: Socket) => void {
  const readable = cors ? `${ANY_ORIGIN}: *\r\n` : "";
  return (error, socket) => {
    if (error.code === "ECONNRESET" || !socket.writable) {
      socket.destroy();
      return;
    }
    const { status, body } = BY_CODE[error.code ?? ""] ?? failures.badRequest;
    const text = printJson(body);
    socket.end(
      `HTTP/1.1 ${status} ${body.message}\r\nContent-Type: ${NODE_JSON}\r\n${readable}` +
        `Content-Length: ${text.length}\r\nConnection: close\r\n\r\n${text}`,
    );
  };
}
