import type { IncomingMessage } from "node:http";
import type { Headers } from "../requests/headers.ts";

/** Hop-by-hop headers, which are not forwarded. RFC 9110, section 7.6.1. */
const HOP_BY_HOP_HEADERS = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** Request headers that this server sets. */
const OWN_REQUEST_HEADERS = new Set(["host", "content-length", "expect", "via", "x-forwarded-for"]);

const VIA = "1.1 holdfast";
/** A request with this many entries loops between followers: refuse it. */
export const MAX_VIA_ENTRIES = 8;

function namesInConnectionHeader(headers: Headers): ReadonlySet<string> {
  const { connection } = headers;
  const text = typeof connection === "string" ? connection : (connection ?? []).join(",");
  return new Set(text.split(",").map((name) => name.trim().toLowerCase()));
}

function listText(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === "string" || value === undefined ? value : value.join(", ");
}

export function viaCount(headers: Headers): number {
  return listText(headers.via)?.split(",").length ?? 0;
}

function* endToEndHeaders<Value>(
  headers: Readonly<Record<string, Value | undefined>> & Headers,
): Generator<[string, Value]> {
  const dropped = namesInConnectionHeader(headers);
  for (const [name, value] of Object.entries<Value | undefined>(headers))
    if (value !== undefined && !dropped.has(name) && !HOP_BY_HOP_HEADERS.has(name)) yield [name, value];
}

/**
 * Returns the request headers for a source.
 * @param peer address of the connected client or proxy
 * @param isFromProxy true if the request's `X-Forwarded-For` is trusted
 */
export function forwardedHeaders(
  headers: Headers,
  peer: string,
  isFromProxy: boolean,
): Record<string, string | readonly string[]> {
  const forwarded: Record<string, string | readonly string[]> = {};
  for (const [name, value] of endToEndHeaders(headers))
    if (!OWN_REQUEST_HEADERS.has(name)) forwarded[name] = value;
  const earlierHops = isFromProxy ? listText(headers["x-forwarded-for"]) : undefined;
  forwarded["x-forwarded-for"] = earlierHops === undefined ? peer : `${earlierHops}, ${peer}`;
  const via = listText(headers.via);
  forwarded.via = via === undefined ? VIA : `${via}, ${VIA}`;
  return forwarded;
}

/** Returns the answer headers for the client, with lower-case names. */
export function answerHeaders({ headers }: IncomingMessage): Record<string, string | string[]> {
  const kept: Record<string, string | string[]> = {};
  // This server decides which pages may read its answers.
  for (const [name, value] of endToEndHeaders(headers))
    if (!name.startsWith("access-control-allow-") && name !== "via") kept[name] = value;
  const via = listText(headers.via);
  kept.via = via === undefined ? VIA : `${via}, ${VIA}`;
  return kept;
}
