/** Entity tags, by which clients and caches ask whether an answer is still the same. Page 07 §3.4. */
import { createHash } from "node:crypto";
import { ChunkedBody, type Reply, type ReplyBody } from "./reply.ts";

/** Longer answers have no tag: making one would take more of a turn than sending them. */
const MAX_TAGGED_BYTES = 2 ** 20;
/** SHA-1 in Base64 without padding, as the index's framework makes them. */
const HASH_LENGTH = 27;

/** A weak tag of an answer's bytes, before any compression; undefined where there is none. */
export function entityTag(body: ReplyBody): string | undefined {
  const isText = typeof body === "string";
  if (!isText && !(body instanceof Uint8Array) && !(body instanceof ChunkedBody)) return undefined;
  const bytes = isText ? Buffer.byteLength(body) : body instanceof ChunkedBody ? body.bytes : body.length;
  if (bytes > MAX_TAGGED_BYTES) return undefined;
  const hash = createHash("sha1");
  for (const part of body instanceof ChunkedBody ? body.parts : [body]) hash.update(part);
  return `W/"${bytes.toString(16)}-${hash.digest("base64").slice(0, HASH_LENGTH)}"`;
}

/** Of answers that are kept to be sent again. */
const tags = new WeakMap<Reply, string>();

/** The same of an answer that may be sent again: it is made once. */
export function cachedEntityTag(reply: Reply): string | undefined {
  const known = tags.get(reply);
  if (known !== undefined) return known;
  const tag = entityTag(reply.body);
  if (tag !== undefined) tags.set(reply, tag);
  return tag;
}

/** Whether a client has the answer already. @param known its `If-None-Match` */
export function matchesEntityTag(known: string, tag: string): boolean {
  if (known.trim() === "*") return true;
  const opaque = tag.slice(2);
  return known.split(",").some((one) => one.trim().replace(/^W\//, "") === opaque);
}
