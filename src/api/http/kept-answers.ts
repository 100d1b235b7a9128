/**
 * Answers that follow from the chain alone, kept for as long as it stands where it stood: what many ask for, the last
 * block say, is made once. Which chain they are of is asked of the snapshot of each request, so that nobody has to tell of
 * blocks and forks.
 */
import type { ChainReader } from "../../interfaces.ts";
import { Pieces, type Reply, type ReplyBody } from "./reply.ts";

/** How much may be kept, bytes. */
export interface KeptLimits {
  /** Of all answers with their requests: the oldest ones go when there is more. */
  readonly total: number;
  /** Of one: a longer one is not kept. */
  readonly single: number;
}

export const standardKept: KeptLimits = { total: 32 * 2 ** 20, single: 2 ** 20 };

/** What an entry takes beside its texts, about. */
const ENTRY_BYTES = 256;
/** Longer texts are kept as the bytes that are sent, since text is encoded anew each time. */
const LONG_TEXT = 8_192;

/** Length of a body; undefined for a stream, which is sent once. */
function lengthOf(body: ReplyBody): number | undefined {
  if (typeof body === "string" || body instanceof Uint8Array) return body.length;
  return body instanceof Pieces ? body.bytes : undefined;
}

/** The answers of one state of the chain, by what was asked for. */
export class KeptAnswers {
  readonly #limits: KeptLimits;
  readonly #answers = new Map<string, { readonly reply: Reply; readonly bytes: number }>();
  /** `ChainSnapshot.state` of the chain that they were made from. */
  #state = "";
  #bytes = 0;

  constructor(limits: KeptLimits = standardKept) {
    this.#limits = limits;
  }

  /** Bytes of all that is kept. */
  get bytes(): number {
    return this.#bytes;
  }

  /** What was answered to a request on the chain as it stands now. @param url path and query */
  find(reader: ChainReader, url: string): Reply | undefined {
    const state = reader.read((chain) => chain.state());
    if (state !== this.#state) {
      this.#answers.clear();
      this.#bytes = 0;
      this.#state = state;
    }
    return this.#answers.get(url)?.reply;
  }

  /**
   * Keeps an answer, if it is a success and not too long.
   * @param state of the chain that it was made from; another one than `find` saw last is that of nobody who will ask
   * @returns the same answer, in the form in which it is kept
   */
  keep(url: string, reply: Reply, state: string = this.#state): Reply {
    const length = lengthOf(reply.body);
    if (reply.status !== 200 || reply.sent !== undefined || length === undefined) return reply;
    if (state !== this.#state || length > this.#limits.single || this.#answers.has(url)) return reply;
    const isLong = typeof reply.body === "string" && reply.body.length > LONG_TEXT;
    const kept = isLong ? reply.with({ body: Buffer.from(String(reply.body)) }) : reply;
    // A text has two bytes a character at most.
    const bytes =
      ENTRY_BYTES + 2 * url.length + (typeof kept.body === "string" ? 2 : 1) * (lengthOf(kept.body) ?? 0);
    this.#answers.set(url, { reply: kept, bytes });
    this.#bytes += bytes;
    this.#trim();
    return kept;
  }

  #trim(): void {
    for (const [url, { bytes }] of this.#answers) {
      if (this.#bytes <= this.#limits.total) return;
      this.#answers.delete(url);
      this.#bytes -= bytes;
    }
  }
}
