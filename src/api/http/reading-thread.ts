/**
 * What travels between the thread that serves HTTP and one that reads for it (`answer-reads.ts`): requests go there as
 * plain data, answers come back as bytes that change hands.
 */
import { printJson } from "../../bytes/json.ts";
import { ApiError, type ApiFailure, TextError } from "./errors.ts";
import type { HeavyRead, ReadingThread } from "./heavy-reads.ts";
import { Pieces, printedPieces, Reply } from "./reply.ts";
import { type ReadApi, ReadCall } from "./route.ts";

/** What is to be read. */
export interface ReadOrder {
  /** Path of the route. */
  readonly path: string;
  readonly params: Readonly<Record<string, string>>;
  readonly query: string;
  readonly body?: Uint8Array | undefined;
  readonly contentTypeSent?: string | undefined;
}

/** What came of it. */
export type ReadAnswer =
  | {
      readonly kind: "reply";
      readonly status: number;
      readonly type: string | undefined;
      readonly headers: Readonly<Record<string, string>> | undefined;
      readonly pieces: readonly Uint8Array[];
    }
  | { readonly kind: "failure"; readonly failure: ApiFailure }
  | { readonly kind: "text"; readonly status: number; readonly text: string }
  /** A fault of the node: text for the log, not for the client. */
  | { readonly kind: "fault"; readonly fault: string };

/** A request as it goes to a reading thread. */
export function orderOf({ route, params, query, body, contentTypeSent }: HeavyRead): ReadOrder {
  return { path: route.path, params: { ...params }, query: query.toString(), body, contentTypeSent };
}

/** The answer as it came from one. @throws ApiError, TextError, as the route's handler did; Error for its faults */
export function replyOf(answer: ReadAnswer): Reply {
  switch (answer.kind) {
    case "reply": {
      const { status, type, headers, pieces } = answer;
      return new Reply({
        status,
        ...(type === undefined ? {} : { type }),
        ...(headers === undefined ? {} : { headers }),
        body: new Pieces(pieces),
      });
    }
    case "failure":
      throw new ApiError(answer.failure);
    case "text":
      throw new TextError(answer.status, answer.text);
    case "fault":
      throw new Error(answer.fault);
  }
}

/** The twin of a reading thread in the thread of the caller. */
export function readingInline(api: ReadApi): ReadingThread {
  return {
    async read({ route, ...request }) {
      const answer = route.handle(new ReadCall(api, request));
      return answer instanceof Reply ? answer : printedPieces([Buffer.from(printJson(answer))]);
    },
    cancel() {},
  };
}
