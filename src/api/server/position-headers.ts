/**
 * `X-Chain` reports the chain position at which an answer was computed. A request with `X-Chain-At-Least` waits until
 * the chain has reached the position in that header.
 */
import type { FastifyReply } from "fastify";
import { POSITION_HEADER } from "../../http/access/cors.ts";
import { ApiError, type ApiFailure, failure } from "../../http/errors.ts";
import { AT_LEAST_HEADER } from "../../http/requests/headers.ts";
import { Reply } from "../../http/responses/reply.ts";
import type { ChainCursor, ChainReader } from "../../interfaces.ts";
import { cachingCursorFormatter, compareWithChain, parseCursor } from "../chain-position.ts";
import { isImmutable } from "../immutable.ts";
import type { Answer, Call } from "../route.ts";

const EXPOSED_HEADERS = "access-control-expose-headers";

export const MAX_POSITION_WAIT_MS = 2_000;

export class PositionHeaders {
  readonly #reader: ChainReader;
  readonly #isExposed: boolean;
  readonly #format = cachingCursorFormatter();

  /** @param cors true if web pages of other origins may read the header */
  constructor(reader: ChainReader, cors: boolean) {
    this.#reader = reader;
    this.#isExposed = cors;
  }

  /** Returns the position of the snapshot that the call read, or else the chain's; undefined for immutable answers. */
  positionOf(call: Call, answer: Answer): string | undefined {
    if (answer instanceof Reply && isImmutable(answer)) return undefined;
    return this.#format(call.tip ?? this.#reader.tip?.() ?? this.#reader.read((chain) => chain.tip()));
  }

  setForFailure(reply: FastifyReply, call: Call | undefined): void {
    if (call?.tip !== undefined) this.set(reply, this.#format(call.tip));
  }

  set(reply: FastifyReply, position: string | undefined): void {
    if (position === undefined) {
      // An immutable answer is never stale, and caches would keep the warning.
      reply.removeHeader("warning");
      return;
    }
    reply.header(POSITION_HEADER, position);
    if (!this.#isExposed) return;
    const others = reply.getHeader(EXPOSED_HEADERS);
    reply.header(EXPOSED_HEADERS, others === undefined ? "X-Chain" : `${String(others)}, X-Chain`);
  }
}

/**
 * Reads the header, otherwise the query.
 * @throws ApiError 400 for an invalid position
 */
export function requestedPosition(call: Call): ChainCursor | undefined {
  const inHeader = call.header(AT_LEAST_HEADER);
  const text = inHeader ?? call.query("atLeast");
  if (text === undefined) return undefined;
  const position = parseCursor(text);
  if (position !== undefined) return position;
  const name = inHeader === undefined ? "atLeast" : "X-Chain-At-Least";
  throw new ApiError(failure(400, 400, `${name}: must be a position of the chain: height.sequence.id`));
}

const notReached: ApiFailure = failure(
  503,
  503,
  "the chain of this node has not reached the requested position",
);

/**
 * Waits until the chain has reached a position, for at most `MAX_POSITION_WAIT_MS`. See `compareWithChain`.
 * @returns undefined if the position is already reached
 * @throws ApiError 503 (as a rejection) if too many requests wait, or if the position is still `ahead`
 */
export function waitForPosition(call: Call, position: ChainCursor): Promise<void> | undefined {
  const { api, request } = call;
  const { raw } = request;
  const compare = () => api.reader.read((chain) => compareWithChain(chain, position));
  if (compare() === "reached") return undefined;
  call.requireAcceptable();
  raw.answerCounter = raw.answerCounter?.untimed;
  const find = (): true | undefined => (compare() === "reached" ? true : undefined);
  return api.commitWaits
    .waitFor(MAX_POSITION_WAIT_MS, raw.socket, find, api.senderOf(request))
    .then((reached) => {
      if (reached !== undefined) return;
      const isAhead = call.read((chain) => compareWithChain(chain, position) === "ahead");
      if (isAhead) throw new ApiError(notReached, "chain_position");
    });
}
