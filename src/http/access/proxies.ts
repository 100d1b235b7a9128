/** Requests that others pass on: who really sends them, and what they may not do. */
import type { FastifyRequest } from "fastify";
import { ipBytes, isInside, isLoopback, splitEndpoint } from "../../bytes/ip.ts";
import { header, type RequestHead } from "../requests/headers.ts";
import type { HttpSettings } from "../settings.ts";

/** What proxies add to the requests that they pass on. */
const PROXY_HEADERS = [
  "x-forwarded-for",
  "x-forwarded-host",
  "x-forwarded-proto",
  "x-real-ip",
  "forwarded",
  "via",
];

/** Addresses that are looked at in `X-Forwarded-For`: nobody stands behind so many proxies. */
const MAX_HOPS = 16;

export interface Sender {
  readonly address: string;
  /** Whether it talks to this node itself, as far as the node knows. */
  readonly direct: boolean;
}

/** Returns true if a program on this machine talks to the node itself: it has no limits of its own. */
export function isLocal({ address, direct }: Sender): boolean {
  return direct && isLoopback(address);
}

/**
 * Gives who sends a request: who talks to the node, or, where that is a trusted proxy, whom it names in
 * `X-Forwarded-For`. There each proxy appends who talked to it, so it is read from its end, past trusted proxies;
 * what stands before the first other address may be anybody's invention, and so is the whole header of others.
 */
export function senderOf({ trustedProxies = [] }: HttpSettings): (request: FastifyRequest) => Sender {
  return ({ socket, headers }) => {
    const peer = socket.remoteAddress ?? "";
    if (trustedProxies.length === 0 || !isInside(peer, trustedProxies))
      return { address: peer, direct: true };
    const value = headers["x-forwarded-for"];
    const list = Array.isArray(value) ? value.join(",") : (value ?? "");
    let address = peer;
    let end = list.length;
    for (let hop = 0; hop < MAX_HOPS && end > 0; hop++) {
      const comma = list.lastIndexOf(",", end - 1);
      const named = hostOf(list.slice(comma + 1, end).trim());
      if (named === undefined) break;
      address = named;
      if (!isInside(named, trustedProxies)) break;
      end = comma;
    }
    return { address, direct: false };
  };
}

/** The IP address of `192.0.2.1`, `192.0.2.1:4711`, `2001:db8::1` or `[2001:db8::1]:4711`. */
function hostOf(text: string): string | undefined {
  const { host, port = "0" } = splitEndpoint(text);
  return ipBytes(host) === undefined || !/^\d+$/.test(port) ? undefined : host;
}

/**
 * Whether somebody else may stand behind a request. It is held against a request that it was marked by a proxy, trusted
 * or not, and that it comes from where a trusted proxy is, marked or not.
 */
export function isForwarded(
  { headers, socket }: RequestHead,
  { trustedProxies = [] }: HttpSettings,
): boolean {
  if (PROXY_HEADERS.some((name) => header(headers, name) !== undefined)) return true;
  return trustedProxies.length > 0 && isInside(socket.remoteAddress ?? "", trustedProxies);
}
