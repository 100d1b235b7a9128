/** Caches may store answers about blocks that can no longer be undone. Page 07 §3.4. */
import { type JsonOut, printJson } from "../bytes/json.ts";
import { Reply } from "../http/responses/reply.ts";
import type { ChainSnapshot } from "../interfaces.ts";
import type { ReadCall } from "./route.ts";

type Headers = Readonly<Record<string, string>>;

/** One day: a new version of the node may print blocks differently. */
const IMMUTABLE_HEADERS = { "cache-control": "public, max-age=86400, immutable" } as const;

/** Headers of an answer that depends only on blocks up to `height`; undefined if that block can be undone. */
export function immutableHeaders(call: ReadCall, chain: ChainSnapshot, height: number): Headers | undefined {
  const { rollbackDepth = Number.POSITIVE_INFINITY } = call.info;
  return height < chain.height() - rollbackDepth ? IMMUTABLE_HEADERS : undefined;
}

export function isImmutable({ headers }: Reply): boolean {
  return headers?.["cache-control"] === IMMUTABLE_HEADERS["cache-control"];
}

export function immutableJson(call: ReadCall, chain: ChainSnapshot, height: number, json: JsonOut): Reply {
  return new Reply({ body: printJson(json), headers: immutableHeaders(call, chain, height) });
}
