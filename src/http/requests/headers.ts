import type { FastifyReply } from "fastify";

/** Request headers as Node provides them: lower-case names. */
export type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

/** What access checks read of a request. */
export interface RequestHead {
  readonly headers: Headers;
  readonly socket: { readonly remoteAddress?: string | undefined };
}

export function header(headers: Headers, name: string): string | undefined {
  const value = headers[name];
  return typeof value === "string" || value === undefined ? value : value[0];
}

/** Adds a header to `Vary`. */
export function varyBy(reply: FastifyReply, name: string): void {
  const known = reply.getHeader("vary");
  reply.header("vary", known === undefined ? name : `${String(known)}, ${name}`);
}
