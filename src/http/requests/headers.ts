import type { FastifyReply } from "fastify";

/** Names in lower case, as from Node. */
export type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Request data for access checks. */
export interface RequestHead {
  readonly headers: Headers;
  readonly socket: { readonly remoteAddress?: string | undefined };
}

export function header(headers: Headers, name: string): string | undefined {
  const value = headers[name];
  return typeof value === "string" || value === undefined ? value : value[0];
}

export function varyBy(reply: FastifyReply, name: string): void {
  const known = reply.getHeader("vary");
  reply.header("vary", known === undefined ? name : `${String(known)}, ${name}`);
}
