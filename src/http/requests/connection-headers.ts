import type { IncomingMessage } from "node:http";
import type { FastifyReply, FastifyRequest } from "fastify";
import { ALLOW_ORIGIN_HEADER } from "../access/cors.ts";
import { apiError } from "../errors.ts";
import type { HttpSettings } from "../settings.ts";

const KEY_HEADER = "x-api-key";

/** Keeps the first `X-API-Key` header, as the reference does. */
function keepFirstKey({ headers, rawHeaders }: IncomingMessage): void {
  const joined = headers[KEY_HEADER];
  // Node.js joins headers by commas, which a key may contain: take the raw header.
  if (typeof joined !== "string" || !joined.includes(",")) return;
  const first = rawHeaders.findIndex((name, i) => i % 2 === 0 && name.toLowerCase() === KEY_HEADER);
  headers[KEY_HEADER] = rawHeaders[first + 1];
}

function countOf(rawHeaders: readonly string[], name: string): number {
  let count = 0;
  for (let i = 0; i < rawHeaders.length; i += 2)
    if (rawHeaders[i].length === name.length && rawHeaders[i].toLowerCase() === name) count++;
  return count;
}

function hasValidHost({ rawHeaders, httpVersion }: IncomingMessage): boolean {
  const count = countOf(rawHeaders, "host");
  return count === 1 || (count === 0 && httpVersion === "1.0");
}

/** Returns true if `checkConnection` neither refuses the request nor closes its connection. */
export function hasPlainConnection(request: IncomingMessage): boolean {
  return request.headers.upgrade === undefined && hasValidHost(request);
}

/** Returns the hook that runs first for each request. */
export function checkConnectionHeaders(
  settings: HttpSettings,
): (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void) => void {
  if (!settings.cors) return checkConnection;
  return (request, reply, done) => {
    reply.header(ALLOW_ORIGIN_HEADER, "*");
    checkConnection(request, reply, done);
  };
}

/**
 * Refuses several `Host` headers: a proxy may have checked another one. Refuses a missing `Host`, except in HTTP/1.0.
 * Closes the connection after an upgrade request. Page 06 §2.8, §3.
 */
function checkConnection({ raw }: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void): void {
  keepFirstKey(raw);
  if (raw.headers.upgrade !== undefined) reply.header("connection", "close");
  if (hasValidHost(raw)) done();
  else {
    reply.header("connection", "close");
    done(apiError("badRequest"));
  }
}
