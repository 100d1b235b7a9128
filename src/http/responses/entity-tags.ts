/** Entity tags, for clients and caches to revalidate an answer. Page 07 §3.4. */
import { createHash } from "node:crypto";
import type { FastifyReply } from "fastify";
import { header, varyBy } from "../requests/headers.ts";
import { byteLength, ChunkedBody, type Reply, type ReplyBody } from "./reply.ts";

/** Longer answers have no tag: hashing would take longer than sending. */
const MAX_TAGGED_BYTES = 2 ** 20;
/** SHA-1 in Base64 without padding, as in the index's framework. */
const HASH_LENGTH = 27;

/** Weak, of the uncompressed body; undefined if it has none. */
export function entityTag(body: ReplyBody): string | undefined {
  const bytes = byteLength(body);
  if (bytes === undefined || bytes > MAX_TAGGED_BYTES) return undefined;
  const hash = createHash("sha1");
  // Streams have no length.
  const parts = body instanceof ChunkedBody ? body.parts : [body as string | Uint8Array];
  for (const part of parts) hash.update(part);
  return `W/"${bytes.toString(16)}-${hash.digest("base64").slice(0, HASH_LENGTH)}"`;
}

const tags = new WeakMap<Reply, string>();

/** Like `entityTag`, but computed once for an answer that is sent repeatedly. */
export function cachedEntityTag(reply: Reply): string | undefined {
  const known = tags.get(reply);
  if (known !== undefined) return known;
  const tag = entityTag(reply.body);
  if (tag !== undefined) tags.set(reply, tag);
  return tag;
}

/** Sets the tag. Returns true if the client has the answer: the status is 304 then. */
export function isNotModified(reply: FastifyReply, tag: string | undefined): boolean {
  if (tag === undefined) return false;
  reply.header("etag", tag);
  const known = header(reply.request.headers, "if-none-match");
  if (known === undefined || !matchesEntityTag(known, tag)) return false;
  varyBy(reply, "Accept-Encoding");
  reply.code(304);
  return true;
}

/** Returns true if the client has the answer. @param known its `If-None-Match` */
export function matchesEntityTag(known: string, tag: string): boolean {
  if (known.trim() === "*") return true;
  const opaque = tag.slice(2);
  return known.split(",").some((one) => one.trim().replace(/^W\//, "") === opaque);
}
