/** The work of a reading thread: heavy reads by the same handlers as anywhere, within a budget of time. */
import { printJson } from "../../bytes/json.ts";
import { ApiError, refuse, TextError } from "../../http/errors.ts";
import { ChunkedBody, Reply } from "../../http/responses/reply.ts";
import type { Clock } from "../../interfaces.ts";
import { isReaderRoute, type ReadApi } from "../route.ts";
import { routes } from "../routes/all.ts";
import { answerOver, type ReadAnswer, type ReadOrder } from "./reading-thread.ts";

/** How long an answer may be in the making, ms. */
const MAKING_MS = 20_000;

/** How many rows are read between two looks at the clock. */
const ROWS = 64;

/** Stops a read that takes too long, or that nobody wants any more. */
export class ReadWatch {
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #isCancelled: () => boolean;
  #rows = 0;
  #end = Number.POSITIVE_INFINITY;

  constructor(clock: Pick<Clock, "monotonic">, isCancelled: () => boolean) {
    this.#clock = clock;
    this.#isCancelled = isCancelled;
  }

  begin(): void {
    this.#rows = 0;
    this.#end = this.#clock.monotonic() + MAKING_MS;
  }

  /** To be called for each row that is read. @throws ApiError 503 when the read is to end */
  readonly look = (): void => {
    if (++this.#rows % ROWS !== 0) return;
    if (this.#isCancelled() || this.#clock.monotonic() >= this.#end) throw refuse("tooLong");
  };
}

/** Does what an order says. Whatever comes of it is an answer; its pieces each fill a buffer. */
export function answerRead(order: ReadOrder, api: ReadApi): ReadAnswer {
  try {
    const route = routes[order.route];
    if (route === undefined || !isReaderRoute(route)) throw new Error(`no heavy route: ${order.route}`);
    const { answer, state } = answerOver(api, route, { ...order, query: new URLSearchParams(order.query) });
    if (!(answer instanceof Reply))
      return {
        kind: "reply",
        status: 200,
        type: undefined,
        headers: undefined,
        pieces: [bytesOf(printJson(answer))],
        state,
      };
    const { status, type, headers, body } = answer;
    return { kind: "reply", status, type, headers, pieces: piecesOf(body), state };
  } catch (error) {
    if (error instanceof ApiError) return { kind: "failure", failure: error.failure };
    if (error instanceof TextError) return { kind: "text", status: error.status, text: error.message };
    // The log of the other end is to say so.
    return { kind: "fault", fault: error instanceof Error ? String(error.stack) : String(error) };
  }
}

function bytesOf(text: string): Uint8Array {
  return Uint8Array.from(Buffer.from(text));
}

function piecesOf(body: Reply["body"]): readonly Uint8Array[] {
  if (typeof body === "string") return [bytesOf(body)];
  if (body instanceof Uint8Array) return [Uint8Array.from(body)];
  if (body instanceof ChunkedBody) return body.parts;
  throw new Error("a heavy route answers as a whole");
}
