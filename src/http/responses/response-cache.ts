/** Cache of answers that depend only on the chain. `find` clears the cache when the chain's state changes. */
import { BoundedCache } from "../../collections/bounded-cache.ts";
import { ChunkedBody, type Reply, type ReplyBody } from "./reply.ts";

interface ResponseCacheLimits {
  /** Includes the keys of entries. */
  readonly maxTotalBytes: number;
  readonly maxAnswerBytes: number;
}

const DEFAULT_LIMITS: ResponseCacheLimits = { maxTotalBytes: 32 * 2 ** 20, maxAnswerBytes: 2 ** 20 };

const ENTRY_OVERHEAD_BYTES = 256;
/** Longer texts (UTF-16 code units) are cached as UTF-8. */
const MAX_TEXT_LENGTH = 8_192;
/** Limits of the keys that are remembered without their answer. */
const MAX_MISSED_KEYS = 1_024;
const MAX_MISSED_KEY_LENGTH = 512;

function lengthOf(body: ReplyBody): number | undefined {
  if (typeof body === "string" || body instanceof Uint8Array) return body.length;
  return body instanceof ChunkedBody ? body.bytes : undefined;
}

export class ResponseCache {
  readonly #limits: ResponseCacheLimits;
  readonly #answers: BoundedCache<Reply>;
  /** Keys of answers that were not admitted. */
  readonly #missed = new Set<string>();
  #state = "";

  constructor(limits: ResponseCacheLimits = DEFAULT_LIMITS) {
    this.#limits = limits;
    this.#answers = new BoundedCache({ weight: limits.maxTotalBytes });
  }

  get bytes(): number {
    return this.#answers.weight;
  }

  /** @param key path, query, and the result of the route's `cacheKey` */
  find(state: string, key: string): Reply | undefined {
    if (state !== this.#state) this.#answers.clear();
    this.#state = state;
    return this.#answers.use(key);
  }

  /**
   * Returns false for a short answer whose key was not requested recently; the state of the chain does not matter. Most
   * short answers are requested only once. To keep them all would cost the garbage collector more time than it takes to
   * compute the others again.
   */
  admits(key: string, { body }: Reply): boolean {
    if ((lengthOf(body) ?? 0) > MAX_TEXT_LENGTH || key.length > MAX_MISSED_KEY_LENGTH) return true;
    if (this.#missed.has(key)) return true;
    if (this.#missed.size >= MAX_MISSED_KEYS) this.#missed.clear();
    this.#missed.add(key);
    return false;
  }

  /** @param state of the answer's snapshot; an answer of another state than the cache's is not cached */
  store(key: string, reply: Reply, state: string = this.#state): Reply {
    const length = lengthOf(reply.body);
    if (reply.status !== 200 || reply.onSent !== undefined || !reply.cacheable || length === undefined)
      return reply;
    if (state !== this.#state || length > this.#limits.maxAnswerBytes || this.#answers.has(key)) return reply;
    const isLong = typeof reply.body === "string" && reply.body.length > MAX_TEXT_LENGTH;
    const cached = isLong ? reply.with({ body: Buffer.from(String(reply.body)) }) : reply;
    // A string takes at most two bytes per character.
    const bytes =
      ENTRY_OVERHEAD_BYTES +
      2 * key.length +
      (typeof cached.body === "string" ? 2 : 1) * (lengthOf(cached.body) ?? 0);
    return this.#answers.set(key, cached, bytes);
  }
}
