/** What is read of a request before its route is. */

import type { FastifyReply } from "fastify";

/** Request headers as Node gives them: lower-case names. */
export type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

/** What is looked at of a request before it may do something. */
export interface RequestHead {
  readonly headers: Headers;
  readonly socket: { readonly remoteAddress?: string | undefined };
}

export function header(headers: Headers, name: string): string | undefined {
  const value = headers[name];
  return typeof value === "string" || value === undefined ? value : value[0];
}

/** Says that an answer depends on a header of the request, beside those that it names already. */
export function varyBy(reply: FastifyReply, name: string): void {
  const known = reply.getHeader("vary");
  reply.header("vary", known === undefined ? name : `${String(known)}, ${name}`);
}
