/** Finds the senders of requests through proxies. */
import type { FastifyRequest } from "fastify";
import { ipBytes, isInside, isLoopback, splitEndpoint } from "../../bytes/ip.ts";
import { header, type RequestHead } from "../requests/headers.ts";
import type { HttpSettings } from "../settings.ts";

const PROXY_HEADERS = [
  "x-forwarded-for",
  "x-forwarded-host",
  "x-forwarded-proto",
  "x-real-ip",
  "forwarded",
  "via",
];

/** Maximum addresses read from `X-Forwarded-For`. Real chains are shorter. */
const MAX_HOPS = 16;

export interface Sender {
  readonly address: string;
  /** Connected directly, as far as the node knows. */
  readonly direct: boolean;
}

/** Returns true for a directly connected program on this machine: no limit applies to it. */
export function isLocal({ address, direct }: Sender): boolean {
  return direct && isLoopback(address);
}

/**
 * Finds the sender: the peer, or if that is a trusted proxy, the address in `X-Forwarded-For`. Each proxy appends its
 * peer, so the header is read from its end, past trusted proxies; everything before the first other address can be
 * forged. Headers of untrusted peers are ignored.
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

/** Returns the host of `192.0.2.1`, `192.0.2.1:4711`, `2001:db8::1` or `[2001:db8::1]:4711`. */
function hostOf(text: string): string | undefined {
  const { host, port = "0" } = splitEndpoint(text);
  return ipBytes(host) === undefined || !/^\d+$/.test(port) ? undefined : host;
}

/**
 * Returns true if the sender may be another machine: the request has a proxy's header, or comes from a trusted
 * network.
 */
export function isForwarded(
  { headers, socket }: RequestHead,
  { trustedProxies = [] }: HttpSettings,
): boolean {
  if (PROXY_HEADERS.some((name) => header(headers, name) !== undefined)) return true;
  return trustedProxies.length > 0 && isInside(socket.remoteAddress ?? "", trustedProxies);
}
