import type { IncomingMessage } from "node:http";
import { ipBytes, isInside, isLoopback, splitEndpoint } from "../../bytes/ip.ts";
import { header, type RequestHead } from "../requests/headers.ts";
import type { HttpSettings } from "../settings.ts";

/** Headers with which proxies describe the original request. */
export const PROXY_HEADERS = [
  "x-forwarded-for",
  "x-forwarded-host",
  "x-forwarded-proto",
  "x-real-ip",
  "forwarded",
  "via",
];

/** Addresses read from `X-Forwarded-For`. */
const MAX_HOPS = 16;

export interface Sender {
  readonly address: string;
  /** False if a trusted proxy forwarded the request. */
  readonly isDirect: boolean;
}

export function isLocal({ address, isDirect }: Sender): boolean {
  return isDirect && isLoopback(address);
}

/**
 * Returns a function that finds a request's sender: the connected peer or, if that is a trusted proxy, the last address
 * in `X-Forwarded-For` that is not.
 */
export function senderOf({
  trustedProxies = [],
}: HttpSettings): (request: Pick<IncomingMessage, "headers" | "socket">) => Sender {
  return ({ socket, headers }) => {
    const peer = socket.remoteAddress ?? "";
    if (trustedProxies.length === 0 || !isInside(peer, trustedProxies))
      return { address: peer, isDirect: true };
    const value = headers["x-forwarded-for"];
    const list = Array.isArray(value) ? value.join(",") : (value ?? "");
    let address = peer;
    let end = list.length;
    for (let hop = 0; hop < MAX_HOPS && end > 0; hop++) {
      const comma = list.lastIndexOf(",", end - 1);
      const hopAddress = hostOf(list.slice(comma + 1, end).trim());
      if (hopAddress === undefined) break;
      address = hopAddress;
      if (!isInside(hopAddress, trustedProxies)) break;
      end = comma;
    }
    return { address, isDirect: false };
  };
}

/** Returns the host of `192.0.2.1`, `192.0.2.1:4711`, `2001:db8::1` or `[2001:db8::1]:4711`. */
function hostOf(text: string): string | undefined {
  const { host, port = "0" } = splitEndpoint(text);
  return ipBytes(host) === undefined || !/^\d+$/.test(port) ? undefined : host;
}

export function isForwarded(
  { headers, socket }: RequestHead,
  { trustedProxies = [] }: HttpSettings,
): boolean {
  if (PROXY_HEADERS.some((name) => header(headers, name) !== undefined)) return true;
  return trustedProxies.length > 0 && isInside(socket.remoteAddress ?? "", trustedProxies);
}
