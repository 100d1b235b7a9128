/** Where a peer can be reached: `host:port`. Page 04 §17. */
import { canonicalHost, ipBytes, isLoopback, isWildcard, splitEndpoint } from "../bytes/ip.ts";

/** The port of an address that names none, on every network. Page 04 §3. */
export const DEFAULT_PORT = 6863;
/** The largest port. */
export const MAX_PORT = 65_535;

/** A host, an IP address (as `ipText`) or a name, and a port. */
export interface PeerAddress {
  readonly host: string;
  /** 0 to 65535. */
  readonly port: number;
}

/** A text that is no address of a peer; the message says what is wrong with it. */
export class PeerAddressError extends Error {
  override readonly name = "PeerAddressError";
}

const HOST_NAME = /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?)*\.?$/i;
const MAX_HOST_LENGTH = 253;

/** Splits a text; an IPv6 address must have brackets. */
function split(text: string): { host: string; port: string | undefined } {
  const { host, port, isBracketed } = splitEndpoint(text);
  const isIpv6 = host.includes(":") && ipBytes(host) !== undefined;
  if (isBracketed) {
    if (!isIpv6) throw new PeerAddressError(`"${text}" has no IPv6 address in its brackets`);
  } else if (isIpv6)
    throw new PeerAddressError(`"${text}" is an IPv6 address without brackets: write [${text}]:port`);
  else if (host.includes(":")) throw new PeerAddressError(`"${text}" is no address: host:port is wanted`);
  return { host, port };
}

function portOf(text: string, digits: string): number {
  const port = Number(digits);
  if (!/^\d{1,5}$/.test(digits) || port < 1 || port > MAX_PORT)
    throw new PeerAddressError(`"${text}" has no port from 1 to ${MAX_PORT}`);
  return port;
}

/**
 * Reads a host: an IP address, without brackets, or a name.
 * @param text what it stands in, for the message
 * @throws PeerAddressError
 */
export function parseHost(host: string, text = host): string {
  if (host === "") throw new PeerAddressError(`"${text}" names no host`);
  // A text of numbers only is meant as an IP address, and a name service would be asked for a wrong one.
  const isIp = ipBytes(host) !== undefined;
  if (!isIp && (host.length > MAX_HOST_LENGTH || !HOST_NAME.test(host) || /^[\d.]+$/.test(host)))
    throw new PeerAddressError(`"${text}" has no host name or IP address`);
  return canonicalHost(host);
}

/**
 * Reads `host:port`, `[IPv6]:port`.
 * @param defaultPort for a text without a port; without one, a port is wanted
 * @throws PeerAddressError
 */
export function parsePeerAddress(text: string, defaultPort?: number): PeerAddress {
  const { host, port } = split(text.trim());
  const known = parseHost(host, text);
  if (port === undefined && defaultPort === undefined)
    throw new PeerAddressError(`"${text}" has no port: host:port is wanted`);
  return {
    host: known,
    port: port === undefined ? (defaultPort ?? DEFAULT_PORT) : portOf(text, port),
  };
}

/** An address as text, which `parsePeerAddress` reads. Two addresses with the same text are the same. */
export function formatPeerAddress({ host, port }: PeerAddress): string {
  return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}

/** What makes addresses this node's own. */
export interface OwnEndpoint {
  /** Where it listens. */
  readonly bindHost: string;
  readonly port: number;
  /** Addresses of the machine's interfaces. */
  readonly interfaces: readonly string[];
  /** What it declares to others. */
  readonly declared: PeerAddress | undefined;
}

/** Addresses under which this node would reach itself: they are never dialled. Page 04 §19. */
export function ownAddresses({ bindHost, port, interfaces, declared }: OwnEndpoint): PeerAddress[] {
  const hosts = isWildcard(bindHost) ? interfaces : [bindHost];
  const own = hosts.map((host) => ({ host: canonicalHost(host), port }));
  return declared === undefined ? own : [...own, { ...declared, host: canonicalHost(declared.host) }];
}

/** Whether an IP address is one of this machine's, as far as it knows itself. */
export function isOwnHost(host: string, { bindHost, interfaces, declared }: OwnEndpoint): boolean {
  const candidate = canonicalHost(host);
  if (isLoopback(candidate)) return true;
  return [bindHost, ...interfaces, ...(declared === undefined ? [] : [declared.host])].some(
    (own) => canonicalHost(own) === candidate,
  );
}
