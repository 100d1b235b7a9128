import { ApiError, type ApiFailure, TextError } from "../../http/errors.ts";
import type { RequestLimit } from "../../http/metrics.ts";
import { ChunkedBody, Reply, toReply } from "../../http/responses/reply.ts";
import type { ChainCursor } from "../../interfaces.ts";
import { type Answer, type ReadApi, ReadCall, type ReaderRoute, type ReadRequest } from "../route.ts";
import type { QueuedRead, ReaderThread } from "./reader-queue.ts";

export interface ReadJob extends Omit<ReadRequest, "query"> {
  /** Id of the route. */
  readonly route: number;
  readonly query: string;
}

/** `tip`: the newest unit of the snapshot; undefined if the route has not read the chain. */
export type ReadAnswer = { readonly tip: ChainCursor | undefined } & (
  | {
      readonly kind: "reply";
      readonly status: number;
      readonly type: string | undefined;
      readonly headers: Readonly<Record<string, string>> | undefined;
      readonly chunks: readonly Uint8Array[];
      /** State of the chain, if the answer may be cached. */
      readonly state: string | undefined;
    }
  | {
      readonly kind: "failure";
      readonly failure: ApiFailure;
      readonly limit: RequestLimit | undefined;
    }
  | { readonly kind: "text"; readonly status: number; readonly text: string }
  /** A bug, with its stack trace. */
  | { readonly kind: "fault"; readonly fault: string }
);

export function toReadJob({
  route,
  params,
  query,
  findCached: _,
  onTip: _2,
  ...request
}: QueuedRead): ReadJob {
  return { ...request, route: route.id, params: { ...params }, query: query.toString() };
}

/** @throws the ApiError or TextError of the handler; Error for a fault */
export function replyOf(answer: ReadAnswer): Reply {
  switch (answer.kind) {
    case "reply": {
      const { status, type, headers, chunks, state } = answer;
      return new Reply({ status, type, headers, state, body: new ChunkedBody(chunks) });
    }
    case "failure":
      throw new ApiError(answer.failure, answer.limit);
    case "text":
      throw new TextError(answer.status, answer.text);
    case "fault":
      throw new Error(answer.fault);
  }
}

interface RouteResult {
  readonly answer: Answer;
  readonly state: string | undefined;
}

/**
 * Handles a request over one snapshot. Also returns the state of the chain if the answer may be cached.
 * @param onTip receives the newest unit of the snapshot, even if the handler throws
 */
export function runRoute(
  { reader, info }: ReadApi,
  route: ReaderRoute,
  request: ReadRequest,
  onTip: (tip: ChainCursor) => void,
): RouteResult {
  const { cacheable, cacheKey } = route.cost ?? {};
  return reader.read((chain) => {
    const call = new ReadCall(
      { reader: { read: (reading) => reading(chain), renew: () => {} }, info },
      request,
    );
    try {
      const answer = route.handle(call);
      const isCacheable = cacheable === true && (!(answer instanceof Reply) || answer.cacheable);
      const mayBeCached = isCacheable && (cacheKey === undefined || cacheKey(call) !== undefined);
      return { answer, state: mayBeCached ? chain.state() : undefined };
    } finally {
      if (call.tip !== undefined) onTip(call.tip);
    }
  });
}

export function inlineReaderThread(api: ReadApi): ReaderThread {
  return {
    async read({ route, onTip = () => {}, ...request }) {
      const { answer, state } = runRoute(api, route, request, onTip);
      return toReply(answer).with({ state });
    },
    cancel() {},
  };
}
