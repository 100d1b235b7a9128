import type { FastifyReply } from "fastify";

/** Names are in lower case. */
export type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

export interface RequestHead {
  readonly headers: Headers;
  readonly socket: { readonly remoteAddress?: string | undefined };
}

/** The client wants an answer from this position of the chain or a later one. */
export const AT_LEAST_HEADER = "x-chain-at-least";

/** Returns a header's first value. */
export function header(headers: Headers, name: string): string | undefined {
  const value = headers[name];
  return typeof value === "string" || value === undefined ? value : value[0];
}

export function varyBy(reply: FastifyReply, name: string): void {
  const names = reply.getHeader("vary");
  reply.header("vary", names === undefined ? name : `${String(names)}, ${name}`);
}
