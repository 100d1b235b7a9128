/**
 * Answers that follow from the chain alone, kept for as long as it stands where it stood: what many ask for, the last
 * block say, is made once. Which chain they are of is asked of the snapshot of each request, so that nobody has to tell of
 * blocks and forks.
 */
import { BoundedCache } from "../../collections/bounded-cache.ts";
import { ChunkedBody, type Reply, type ReplyBody } from "./reply.ts";

/** How much may be kept, bytes. */
interface ResponseCacheLimits {
  /** Of all answers with their requests: those that nobody asked for lately go when there is more. */
  readonly total: number;
  /** Of one: a longer one is not kept. */
  readonly single: number;
}

const DEFAULT_LIMITS: ResponseCacheLimits = { total: 32 * 2 ** 20, single: 2 ** 20 };

/** What an entry takes beside its texts, about. */
const ENTRY_BYTES = 256;
/** Longer texts are kept as the bytes that are sent, since text is encoded anew each time. */
const MAX_TEXT_LENGTH = 8_192;

/** Length of a body; undefined for a stream, which is sent once. */
function lengthOf(body: ReplyBody): number | undefined {
  if (typeof body === "string" || body instanceof Uint8Array) return body.length;
  return body instanceof ChunkedBody ? body.bytes : undefined;
}

/** The answers of one state of the chain. */
export class ResponseCache {
  readonly #limits: ResponseCacheLimits;
  readonly #answers: BoundedCache<Reply>;
  /** `ChainSnapshot.state` of the chain that they were made from. */
  #state = "";

  constructor(limits: ResponseCacheLimits = DEFAULT_LIMITS) {
    this.#limits = limits;
    this.#answers = new BoundedCache({ weight: limits.total });
  }

  get bytes(): number {
    return this.#answers.weight;
  }

  /** What was answered to a request on the chain as it stands now. @param url path and query, and the form where there are several */
  find(state: string, url: string): Reply | undefined {
    if (state !== this.#state) this.#answers.clear();
    this.#state = state;
    return this.#answers.use(url);
  }

  /**
   * Keeps an answer, if it is a success, stays the same and is not too long.
   * @param state of the chain that it was made from; another one than `find` saw last is that of nobody who will ask
   * @returns the same answer, in the form in which it is kept
   */
  store(url: string, reply: Reply, state: string = this.#state): Reply {
    const length = lengthOf(reply.body);
    if (reply.status !== 200 || reply.sent !== undefined || !reply.cacheable || length === undefined)
      return reply;
    if (state !== this.#state || length > this.#limits.single || this.#answers.has(url)) return reply;
    const isLong = typeof reply.body === "string" && reply.body.length > MAX_TEXT_LENGTH;
    const kept = isLong ? reply.with({ body: Buffer.from(String(reply.body)) }) : reply;
    // A text has two bytes a character at most.
    const bytes =
      ENTRY_BYTES + 2 * url.length + (typeof kept.body === "string" ? 2 : 1) * (lengthOf(kept.body) ?? 0);
    return this.#answers.set(url, kept, bytes);
  }
}
