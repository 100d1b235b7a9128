/** Entity tags: clients and caches use them to revalidate an answer. Page 07 §3.4. */
import { createHash } from "node:crypto";
import { ChunkedBody, type Reply, type ReplyBody } from "./reply.ts";

/** Longer answers have no tag: hashing would take longer than sending. */
const MAX_TAGGED_BYTES = 2 ** 20;
/** SHA-1 in Base64 without padding, as in the index's framework. */
const HASH_LENGTH = 27;

/** A weak tag of the uncompressed body; undefined if it has none. */
export function entityTag(body: ReplyBody): string | undefined {
  const isText = typeof body === "string";
  if (!isText && !(body instanceof Uint8Array) && !(body instanceof ChunkedBody)) return undefined;
  const bytes = isText ? Buffer.byteLength(body) : body instanceof ChunkedBody ? body.bytes : body.length;
  if (bytes > MAX_TAGGED_BYTES) return undefined;
  const hash = createHash("sha1");
  for (const part of body instanceof ChunkedBody ? body.parts : [body]) hash.update(part);
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

/** Returns true if the client has the answer. @param known its `If-None-Match` */
export function matchesEntityTag(known: string, tag: string): boolean {
  if (known.trim() === "*") return true;
  const opaque = tag.slice(2);
  return known.split(",").some((one) => one.trim().replace(/^W\//, "") === opaque);
}
