/** Page 04 §17. */
import { canonicalHost, ipBytes, isLoopback, isWildcard, splitEndpoint } from "../bytes/ip.ts";

/** Page 04 §3. */
export const DEFAULT_PORT = 6863;
export const MAX_PORT = 65_535;

/** `host` is a name, or an IP address in the form of `ipText`. */
export interface PeerAddress {
  readonly host: string;
  readonly port: number;
}

export class PeerAddressError extends Error {
  override readonly name = "PeerAddressError";
}

const HOST_NAME = /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?)*\.?$/i;
const MAX_HOST_LENGTH = 253;

/** @throws PeerAddressError, also for an IPv6 address without brackets */
function split(text: string): { host: string; port: string | undefined } {
  const { host, port, isBracketed } = splitEndpoint(text);
  const isIpv6 = host.includes(":") && ipBytes(host) !== undefined;
  if (isBracketed) {
    if (!isIpv6)
      throw new PeerAddressError(`Invalid peer address "${text}": the brackets must contain an IPv6 address`);
  } else if (isIpv6)
    throw new PeerAddressError(`Invalid peer address "${text}": write an IPv6 address as [${text}]:port`);
  else if (host.includes(":")) throw new PeerAddressError(`Invalid peer address "${text}": use host:port`);
  return { host, port };
}

function portOf(text: string, digits: string): number {
  const port = Number(digits);
  if (!/^\d{1,5}$/.test(digits) || port < 1 || port > MAX_PORT)
    throw new PeerAddressError(`Invalid port in "${text}": use a number from 1 to ${MAX_PORT}`);
  return port;
}

/**
 * @param host IP address without brackets, or a name
 * @param text whole address, for messages
 * @throws PeerAddressError
 */
export function parseHost(host: string, text = host): string {
  if (host === "") throw new PeerAddressError(`Missing host in "${text}"`);
  // A name of only digits and dots is a mistyped IP address.
  const isIp = ipBytes(host) !== undefined;
  if (!isIp && (host.length > MAX_HOST_LENGTH || !HOST_NAME.test(host) || /^[\d.]+$/.test(host)))
    throw new PeerAddressError(`Invalid host in "${text}": use a host name or an IP address`);
  return canonicalHost(host);
}

/**
 * Parses `host:port` or `[IPv6]:port`.
 * @param defaultPort used if the text has no port; undefined: a missing port is an error
 * @throws PeerAddressError
 */
export function parsePeerAddress(text: string, defaultPort?: number): PeerAddress {
  const { host, port } = split(text.trim());
  const parsedHost = parseHost(host, text);
  if (port === undefined && defaultPort === undefined)
    throw new PeerAddressError(`Missing port in "${text}": use host:port`);
  return {
    host: parsedHost,
    port: port === undefined ? (defaultPort ?? DEFAULT_PORT) : portOf(text, port),
  };
}

/** Equal addresses have equal texts. */
export function formatPeerAddress({ host, port }: PeerAddress): string {
  return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}

export interface OwnEndpoint {
  readonly bindHost: string;
  readonly port: number;
  /** IP addresses of the machine's network interfaces. */
  readonly interfaces: readonly string[];
  readonly declared: PeerAddress | undefined;
}

/** This node's addresses, which are never dialled. Page 04 §19. */
export function ownAddresses({ bindHost, port, interfaces, declared }: OwnEndpoint): PeerAddress[] {
  const hosts = isWildcard(bindHost) ? interfaces : [bindHost];
  const addresses = hosts.map((host) => ({ host: canonicalHost(host), port }));
  return declared === undefined
    ? addresses
    : [...addresses, { ...declared, host: canonicalHost(declared.host) }];
}

export function isOwnHost(host: string, { bindHost, interfaces, declared }: OwnEndpoint): boolean {
  const candidate = canonicalHost(host);
  if (isLoopback(candidate)) return true;
  return [bindHost, ...interfaces, ...(declared === undefined ? [] : [declared.host])].some(
    (ownHost) => canonicalHost(ownHost) === candidate,
  );
}
