/** Entity tags, to revalidate answers. Page 07 §3.4. */
import { createHash } from "node:crypto";
import type { FastifyReply } from "fastify";
import { header, varyBy } from "../requests/headers.ts";
import { byteLength, ChunkedBody, type Reply, type ReplyBody } from "./reply.ts";

/** Longer answers have no tag: hashing would take longer than sending. */
const MAX_TAGGED_BYTES = 2 ** 20;
/** SHA-1 in Base64 without padding, as in the reference's framework. */
const HASH_LENGTH = 27;

/** Returns the weak tag of the uncompressed body; undefined for streams and long bodies. */
export function entityTag(body: ReplyBody): string | undefined {
  const bytes = byteLength(body);
  if (bytes === undefined || bytes > MAX_TAGGED_BYTES) return undefined;
  const hash = createHash("sha1");
  // Not a stream: `byteLength` is undefined for streams.
  const parts = body instanceof ChunkedBody ? body.parts : [body as string | Uint8Array];
  for (const part of parts) hash.update(part);
  return `W/"${bytes.toString(16)}-${hash.digest("base64").slice(0, HASH_LENGTH)}"`;
}

const tags = new WeakMap<Reply, string>();

/** Returns the tag, computed once for an answer that is sent repeatedly. */
export function cachedEntityTag(reply: Reply): string | undefined {
  const known = tags.get(reply);
  if (known !== undefined) return known;
  const tag = entityTag(reply.body);
  if (tag !== undefined) tags.set(reply, tag);
  return tag;
}

/** Sets the tag. Returns true, with status 304, if the client has the answer. */
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
