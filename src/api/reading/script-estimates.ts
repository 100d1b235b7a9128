/** Page 08 §12. */
import { JsonNumber, parseJson } from "../../bytes/json.ts";
import { encodeUtf8 } from "../../bytes/utf8.ts";
import { ApiError } from "../../http/errors.ts";
import { ChunkedBody } from "../../http/responses/reply.ts";
import { cacheEstimate, findSlowScript, MAX_SOURCE_LENGTH, ScriptParseError } from "../../script/index.ts";
import type { Call, ReaderRoute } from "../route.ts";
import type { ReaderQueue } from "./reader-queue.ts";

const SCRIPT_MEMBER = Buffer.from('"script"');
/** Shorter bodies cannot contain an expensive script. */
const MIN_BODY_BYTES = 512;

function scriptOf(call: Call): { readonly text: string; readonly bytes: Uint8Array } | undefined {
  const body = call.bytes();
  if (
    body.length < MIN_BODY_BYTES ||
    !Buffer.from(body.buffer, body.byteOffset, body.length).includes(SCRIPT_MEMBER)
  )
    return undefined;
  let text: unknown;
  try {
    const json = call.json();
    text = json instanceof Map ? json.get("script") : undefined;
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
  if (typeof text !== "string" || text.length > MAX_SOURCE_LENGTH) return undefined;
  const bytes = findSlowScript(text);
  return bytes && { text, bytes };
}

/**
 * Estimates the body's script in a reader thread, and caches the cost. Returns undefined if there is no expensive
 * script.
 * @throws ApiError 503 (as a rejection) if too many reads wait
 */
export function estimateAhead(
  call: Call,
  reads: ReaderQueue,
  route: ReaderRoute,
  onDisconnect: (cancel: () => void) => void,
): Promise<void> | undefined {
  const script = scriptOf(call);
  if (script === undefined) return undefined;
  const { text, bytes } = script;
  const read = {
    ...call.readRequest,
    route,
    params: {},
    query: new URLSearchParams(),
    body: encodeUtf8(text),
  };
  return reads.enqueue(read, onDisconnect).then(
    ({ body }) => {
      const json = parseJson(
        body instanceof ChunkedBody ? Buffer.concat(body.parts).toString() : String(body),
      );
      const cost = json instanceof Map ? json.get("complexity") : undefined;
      if (cost instanceof JsonNumber) cacheEstimate(bytes, Number(cost.text));
    },
    (error: unknown) => {
      if (!(error instanceof ApiError && error.failure.status === 400)) throw error;
      cacheEstimate(bytes, new ScriptParseError(String(error.failure.body.message)));
    },
  );
}
