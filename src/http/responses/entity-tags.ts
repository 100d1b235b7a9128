/** Page 07 §3.4. */
import { createHash } from "node:crypto";
import type { FastifyReply } from "fastify";
import { header, varyBy } from "../requests/headers.ts";
import { byteLength, ChunkedBody, type Reply, type ReplyBody } from "./reply.ts";

const MAX_TAGGED_BYTES = 2 ** 20;
/** Length of a SHA-1 hash in Base64 without padding. */
const HASH_LENGTH = 27;

/** Returns a weak tag of the uncompressed body, but none for streams and long bodies. */
export function entityTag(body: ReplyBody): string | undefined {
  const bytes = byteLength(body);
  if (bytes === undefined || bytes > MAX_TAGGED_BYTES) return undefined;
  const hash = createHash("sha1");
  const parts = body instanceof ChunkedBody ? body.parts : [body as string | Uint8Array];
  for (const part of parts) hash.update(part);
  return `W/"${bytes.toString(16)}-${hash.digest("base64").slice(0, HASH_LENGTH)}"`;
}

/** Like `entityTag`, computed once for each reply. */
export function cachedEntityTag(reply: Reply): string | undefined {
  reply.entityTag ??= entityTag(reply.body);
  return reply.entityTag;
}

/** If the client has the answer, sets status 304 and returns true. */
export function applyEntityTag(reply: FastifyReply, tag: string | undefined): boolean {
  if (tag === undefined) return false;
  reply.header("etag", tag);
  const ifNoneMatch = header(reply.request.headers, "if-none-match");
  if (ifNoneMatch === undefined || !matchesEntityTag(ifNoneMatch, tag)) return false;
  varyBy(reply, "Accept-Encoding");
  reply.code(304);
  return true;
}

export function matchesEntityTag(ifNoneMatch: string, tag: string): boolean {
  if (ifNoneMatch.trim() === "*") return true;
  const opaque = tag.slice(2);
  return ifNoneMatch.split(",").some((item) => item.trim().replace(/^W\//, "") === opaque);
}
