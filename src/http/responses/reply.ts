import type { ServerResponse } from "node:http";
import type { Readable } from "node:stream";
import { type JsonOut, printJson } from "../../bytes/json.ts";
import type { AnswerCounter } from "../metrics.ts";
import type { Headers } from "../requests/headers.ts";
import type { HttpSettings } from "../settings.ts";

export class ChunkedBody {
  readonly parts: readonly Uint8Array[];
  readonly bytes: number;

  constructor(parts: readonly Uint8Array[]) {
    this.parts = parts;
    this.bytes = parts.reduce((sum, { length }) => sum + length, 0);
  }
}

/** Returns undefined for a stream. */
export function byteLength(body: unknown): number | undefined {
  if (typeof body === "string") return Buffer.byteLength(body);
  if (body instanceof Uint8Array) return body.length;
  return body instanceof ChunkedBody ? body.bytes : undefined;
}

/** An endless body, which `start` writes after the headers. */
export class StreamingBody {
  readonly start: (response: ServerResponse) => void;

  constructor(start: (response: ServerResponse) => void) {
    this.start = start;
  }
}

export type ReplyBody = string | Uint8Array | ChunkedBody | Readable | StreamingBody;

/** What Fastify sent for a cached answer, for `DirectAnswers`. */
export interface SentAnswer {
  readonly body: string | Uint8Array;
  readonly bytes: number;
  /** Names and values alternate. */
  readonly headers: readonly string[];
  /** True if clients that accept compression get another answer. */
  readonly isCompressible: boolean;
  readonly hasEntityTag: boolean;
  readonly counter: AnswerCounter | undefined;
  /** Checks a request's `Accept` header. */
  readonly isAcceptable: (headers: Headers) => boolean;
}

interface ReplyOptions {
  readonly body: ReplyBody;
  readonly status?: number;
  /** Default: the JSON type of the route's family. */
  readonly type?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly onSent?: (() => void) | undefined;
  /** False if the answer can change while the chain does not; default: true. */
  readonly cacheable?: boolean;
  /** Chain state of the answer's snapshot, if known. */
  readonly state?: string | undefined;
  /** Chain position of the answer's snapshot as text, if known. */
  readonly position?: string | undefined;
}

export class Reply {
  readonly body: ReplyBody;
  readonly status: number;
  readonly type: string | undefined;
  readonly headers: Readonly<Record<string, string>> | undefined;
  readonly onSent: (() => void) | undefined;
  readonly cacheable: boolean;
  readonly state: string | undefined;
  readonly position: string | undefined;
  /** Set by `DirectAnswers`. */
  sent: SentAnswer | undefined;
  /** Set by `cachedEntityTag`. A `WeakMap` would slow down garbage collections. */
  entityTag: string | undefined;

  constructor({
    body,
    status = 200,
    type,
    headers,
    onSent,
    cacheable = true,
    state,
    position,
  }: ReplyOptions) {
    this.body = body;
    this.status = status;
    this.type = type;
    this.headers = headers;
    this.onSent = onSent;
    this.cacheable = cacheable;
    this.state = state;
    this.position = position;
  }

  with(changes: Pick<ReplyOptions, "state" | "position"> & { readonly body?: ReplyBody }): Reply {
    return new Reply({ ...this, ...changes });
  }
}

/** Page 06 §2.3. */
export const PLAIN_TEXT = "text/plain; charset=UTF-8";

export function toReply(answer: JsonOut | Reply): Reply {
  return answer instanceof Reply ? answer : jsonTextReply(printJson(answer));
}

export function jsonTextReply(body: string): Reply {
  return new Reply({ body });
}

export function jsonChunksReply(parts: readonly Uint8Array[], headers?: Reply["headers"]): Reply {
  return new Reply({ body: new ChunkedBody(parts), headers });
}

export function jsonReply(status: number, value: JsonOut): Reply {
  return new Reply({ status, body: printJson(value) });
}

export function textReply(status: number, text: string): Reply {
  return new Reply({ status, type: PLAIN_TEXT, body: text });
}

function escapeHtml(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}

/**
 * Permanent redirect (status 308). Page 06 §7.18.
 * @param path without prefix
 */
export function redirect(path: string, { prefix = "" }: HttpSettings): Reply {
  const location = prefix + path;
  return new Reply({
    status: 308,
    type: "text/html; charset=UTF-8",
    headers: { location },
    body: `The request, and all future requests should be repeated using <a href="${escapeHtml(location)}">this URI</a>.`,
  });
}
