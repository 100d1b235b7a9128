/** What a request says of its connection, judged before anything else. Page 06 §2.8. */
import type { FastifyReply, FastifyRequest } from "fastify";
import { ANY_ORIGIN } from "../access/cors.ts";
import { apiError } from "../errors.ts";
import type { HttpSettings } from "../settings.ts";

function countOf(rawHeaders: readonly string[], name: string): number {
  let count = 0;
  // Names and values by turns.
  for (let i = 0; i < rawHeaders.length; i += 2) if (rawHeaders[i].toLowerCase() === name) count++;
  return count;
}

/**
 * What is done first with every request: any origin may read what it is answered, whatever that is; then it is judged.
 */
export function checkConnectionHeaders(
  info: HttpSettings,
): (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void) => void {
  if (!info.cors) return checkConnection;
  return (request, reply, done) => {
    reply.header(ANY_ORIGIN, "*");
    checkConnection(request, reply, done);
  };
}

/**
 * Refuses a request that names no host (HTTP/1.0 may) or several: what stands before the node may have judged another
 * one than the node does. Ends the connection behind one that asks for another protocol, which nobody here speaks: Node
 * reads no further request from it.
 */
function checkConnection({ raw }: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void): void {
  if (raw.headers.upgrade !== undefined) reply.header("connection", "close");
  const hosts = countOf(raw.rawHeaders, "host");
  if (hosts === 1 || (hosts === 0 && raw.httpVersion === "1.0")) done();
  else {
    reply.header("connection", "close");
    done(apiError("badRequest"));
  }
}
