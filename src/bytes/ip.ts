import { bytesEqual } from "./compare.ts";

const IPV4 = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/;
const GROUP = /^[0-9a-f]{1,4}$/i;
const GROUP_COUNT = 8;
/** First 12 bytes of an IPv4-mapped address, `::ffff:a.b.c.d`. */
const MAPPED_PREFIX = Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff);

function ipv4Bytes(text: string): Uint8Array | undefined {
  const parts = IPV4.exec(text)?.slice(1);
  // Leading zeros are rejected: some parsers read them as octal.
  if (parts?.every((part) => Number(part) <= 255 && String(Number(part)) === part) !== true) return undefined;
  return Uint8Array.from(parts, Number);
}

/** Parses a part of an IPv6 address. If `isEnd` is true, an IPv4 address may replace the last two groups. */
function parseGroups(text: string, isEnd: boolean): number[] | undefined {
  if (text === "") return [];
  const groups: number[] = [];
  const parts = text.split(":");
  for (const [i, part] of parts.entries()) {
    if (GROUP.test(part)) groups.push(Number.parseInt(part, 16));
    else {
      const ipv4 = isEnd && i === parts.length - 1 ? ipv4Bytes(part) : undefined;
      if (ipv4 === undefined) return undefined;
      groups.push(ipv4[0] * 256 + ipv4[1], ipv4[2] * 256 + ipv4[3]);
    }
  }
  return groups;
}

function ipv6Bytes(text: string): Uint8Array | undefined {
  const halves = text.split("::");
  if (halves.length > 2) return undefined;
  const front = parseGroups(halves[0], halves.length === 1);
  const back = halves.length === 2 ? parseGroups(halves[1], true) : [];
  if (front === undefined || back === undefined) return undefined;
  const missing = GROUP_COUNT - front.length - back.length;
  if (halves.length === 2 ? missing < 1 : missing !== 0) return undefined;
  const groups = [...front, ...Array<number>(missing).fill(0), ...back];
  return Uint8Array.from(groups.flatMap((group) => [group >> 8, group & 0xff]));
}

/**
 * Parses an IP address to 4 or 16 bytes; undefined if invalid. IPv4-mapped addresses become IPv4. A zone
 * (`fe80::1%eth0`) is ignored. Page 04 §27.
 */
export function ipBytes(text: string): Uint8Array | undefined {
  if (!text.includes(":")) return ipv4Bytes(text);
  const bytes = ipv6Bytes(text.split("%", 1)[0]);
  return bytes === undefined ? undefined : toIpv4IfMapped(bytes);
}

function toIpv4IfMapped(bytes: Uint8Array): Uint8Array {
  return bytes.length === 16 && bytesEqual(bytes.subarray(0, 12), MAPPED_PREFIX) ? bytes.slice(12) : bytes;
}

function longestZeros(groups: readonly number[]): { at: number; length: number } {
  let best = { at: 0, length: 0 };
  for (let at = 0; at < groups.length; at++) {
    let end = at;
    while (groups[end] === 0) end++;
    if (end - at > best.length) best = { at, length: end - at };
  }
  return best;
}

/**
 * Formats canonically (RFC 5952 for IPv6). An IPv4-mapped address becomes IPv4.
 * @param bytes 4 or 16
 */
export function ipText(bytes: Uint8Array): string {
  const address = toIpv4IfMapped(bytes);
  if (address.length === 4) return address.join(".");
  const groups = Array.from({ length: GROUP_COUNT }, (_, i) => address[2 * i] * 256 + address[2 * i + 1]);
  const zeros = longestZeros(groups);
  const hex = (from: number, to: number) =>
    groups
      .slice(from, to)
      .map((group) => group.toString(16))
      .join(":");
  if (zeros.length < 2) return hex(0, GROUP_COUNT);
  return `${hex(0, zeros.at)}::${hex(zeros.at + zeros.length, GROUP_COUNT)}`;
}

/** The canonical IP address, or a host name in lower case. */
export function canonicalHost(host: string): string {
  const bytes = ipBytes(host);
  return bytes === undefined ? host.toLowerCase() : ipText(bytes);
}

interface EndpointParts {
  readonly host: string;
  readonly port: string | undefined;
  readonly isBracketed: boolean;
}

/** Splits `host:port`, `[IPv6]:port` or a host. */
export function splitEndpoint(text: string): EndpointParts {
  const bracketed = /^\[([^\]]*)\](?::(.*))?$/s.exec(text);
  if (bracketed !== null) return { host: bracketed[1], port: bracketed[2], isBracketed: true };
  const [host, port, ...more] = text.split(":");
  return more.length > 0
    ? { host: text, port: undefined, isBracketed: false }
    : { host, port, isBracketed: false };
}

export function isWildcard(host: string): boolean {
  return ipBytes(host)?.every((byte) => byte === 0) === true;
}

export function isLoopback(host: string): boolean {
  if (host === "127.0.0.1" || host === "::1") return true;
  const bytes = ipBytes(host);
  if (bytes === undefined) return host.toLowerCase() === "localhost";
  return bytes.length === 4
    ? bytes[0] === 127
    : bytes[15] === 1 && bytes.subarray(0, 15).every((b) => b === 0);
}

/** Non-public IPv4 ranges: first byte, lowest second byte, highest second byte. */
const RESERVED: readonly (readonly [number, number, number])[] = [
  [0, 0, 255],
  [10, 0, 255],
  [100, 64, 127],
  [127, 0, 255],
  [169, 254, 254],
  [172, 16, 31],
  [192, 168, 168],
  [198, 18, 19],
];

/** True for private, link-local, multicast and other non-public addresses. */
export function isReserved(host: string): boolean {
  const bytes = ipBytes(host);
  if (bytes === undefined) return false;
  const [first, second] = bytes;
  if (bytes.length === 4)
    return (
      first >= 224 || RESERVED.some(([byte, from, to]) => first === byte && second >= from && second <= to)
    );
  // Global unicast is 2000::/3 without the documentation range 2001:db8::/32.
  if ((first & 0xe0) !== 0x20) return true;
  return first === 0x20 && second === 0x01 && bytes[2] === 0x0d && bytes[3] === 0xb8;
}

/** First 12 bytes of `64:ff9b::a.b.c.d`, which represents `a.b.c.d` (RFC 6052). */
const TRANSLATED_PREFIX = Uint8Array.of(0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0);

/** An address's network, or a host name in lower case. */
function networkOf(host: string, ipv4Bits: number, ipv6Bits: number): string {
  const address = ipBytes(host);
  if (address === undefined) return canonicalHost(host);
  const isTranslated = address.length === 16 && bytesEqual(address.subarray(0, 12), TRANSLATED_PREFIX);
  const bytes = isTranslated ? address.subarray(12) : address;
  const bits = bytes.length === 4 ? ipv4Bits : ipv6Bits;
  return ipNetworkText({ address: bytes.map((byte, i) => (8 * i < bits ? byte : 0)), bits });
}

/** The IPv4 address or IPv6 /64 network. */
export function originOf(host: string): string {
  return networkOf(host, 32, 64);
}

/** The /24 (IPv4) or /48 (IPv6) network. */
export function siteOf(host: string): string {
  return networkOf(host, 24, 48);
}

/** The /16 (IPv4) or /32 (IPv6) network. */
export function rangeOf(host: string): string {
  return networkOf(host, 16, 32);
}

export interface IpNetwork {
  /** 4 or 16 bytes. */
  readonly address: Uint8Array;
  readonly bits: number;
}

/** Parses a network or a single address; undefined if invalid. */
export function ipNetwork(text: string): IpNetwork | undefined {
  const [host, length, ...more] = text.split("/");
  const address = ipBytes(host);
  if (address === undefined || more.length > 0) return undefined;
  const maxBits = address.length * 8;
  if (length === undefined) return { address, bits: maxBits };
  const bits = /^\d{1,3}$/.test(length) ? Number(length) : Number.NaN;
  return bits <= maxBits ? { address, bits } : undefined;
}

/** Formats `192.0.2.0/24`, or a single address without a length. */
export function ipNetworkText({ address, bits }: IpNetwork): string {
  return bits === address.length * 8 ? ipText(address) : `${ipText(address)}/${bits}`;
}

export function isInside(host: string, networks: readonly IpNetwork[]): boolean {
  const bytes = ipBytes(host);
  if (bytes === undefined) return false;
  return networks.some(({ address, bits }) => {
    if (address.length !== bytes.length) return false;
    const wholeBytes = bits >> 3;
    const mask = 0xff & (0xff00 >> (bits & 7));
    return (
      bytesEqual(bytes.subarray(0, wholeBytes), address.subarray(0, wholeBytes)) &&
      ((bits & 7) === 0 || (bytes[wholeBytes] & mask) === (address[wholeBytes] & mask))
    );
  });
}
