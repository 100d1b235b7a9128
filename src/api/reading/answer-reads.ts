import { ApiError, apiError, TextError } from "../../http/errors.ts";
import { ChunkedBody, type Reply, toReply } from "../../http/responses/reply.ts";
import type { ChainCursor, Clock } from "../../interfaces.ts";
import { isReaderRoute, type ReadApi } from "../route.ts";
import { routes } from "../routes/all.ts";
import { type ReadAnswer, type ReadJob, runRoute } from "./read-jobs.ts";

const READ_TIMEOUT_MS = 20_000;

const ROWS_PER_CHECK = 64;

export class ReadDeadline {
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #isCancelled: () => boolean;
  #rowCount = 0;
  #end = Number.POSITIVE_INFINITY;

  constructor(clock: Pick<Clock, "monotonic">, isCancelled: () => boolean) {
    this.#clock = clock;
    this.#isCancelled = isCancelled;
  }

  start(): void {
    this.#rowCount = 0;
    this.#end = this.#clock.monotonic() + READ_TIMEOUT_MS;
  }

  /** Must be called for each row. @throws ApiError 503 if the read must stop */
  readonly check = (): void => {
    if (++this.#rowCount % ROWS_PER_CHECK !== 0) return;
    if (this.#isCancelled()) throw apiError("answerTooSlow");
    if (this.#clock.monotonic() >= this.#end) throw apiError("answerTooSlow", "reader_timeout");
  };
}

/** Never throws. */
export function answerRead(job: ReadJob, api: ReadApi): ReadAnswer {
  let tip: ChainCursor | undefined;
  // Copies the id, which may be a view of a larger buffer.
  const onTip = ({ height, sequence, id }: ChainCursor): void => {
    tip = { height, sequence, id: id.slice() };
  };
  try {
    const route = routes[job.route];
    if (route === undefined || !isReaderRoute(route)) throw new Error(`Not a reader route: ${job.route}`);
    const { answer, state } = runRoute(api, route, { ...job, query: new URLSearchParams(job.query) }, onTip);
    const { status, type, headers, body } = toReply(answer);
    return { kind: "reply", status, type, headers, chunks: chunksOf(body), state, tip };
  } catch (error) {
    if (error instanceof ApiError)
      return { kind: "failure", failure: error.failure, limit: error.limit, tip };
    if (error instanceof TextError) return { kind: "text", status: error.status, text: error.message, tip };
    return { kind: "fault", fault: error instanceof Error ? String(error.stack) : String(error), tip };
  }
}

function chunksOf(body: Reply["body"]): readonly Uint8Array[] {
  if (typeof body === "string") return [Uint8Array.from(Buffer.from(body))];
  if (body instanceof Uint8Array) return [Uint8Array.from(body)];
  if (body instanceof ChunkedBody) return body.parts;
  throw new Error("A reader route must not stream its answer");
}
