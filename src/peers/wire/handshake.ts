/** Page 04 §5. */
import { DecodeError } from "../../bytes/errors.ts";
import { canonicalHost, ipBytes, ipText } from "../../bytes/ip.ts";
import { ByteReader } from "../../bytes/reader.ts";
import { decodeUtf8, encodeUtf8 } from "../../bytes/utf8.ts";
import { ByteWriter } from "../../bytes/writer.ts";
import { MAX_PORT, type PeerAddress } from "../peer-address.ts";
import { WireError } from "./wire-error.ts";

/** Length with two names of 127 bytes and an IPv6 address. */
export const MAX_HANDSHAKE_LENGTH = 308;
/** Bytes of UTF-8. */
const MAX_NAME_LENGTH = 127;
const PORT_LENGTH = 4;
/** Lengths of the declared address with its port: without an address, with IPv4, with IPv6. */
const DECLARED_LENGTHS = [0, 8, 20];

/** Signed 32-bit numbers. */
export interface ApplicationVersion {
  readonly major: number;
  readonly minor: number;
  readonly patch: number;
}

export interface Handshake {
  /** `lto` and the network's character. */
  readonly applicationName: string;
  readonly version: ApplicationVersion;
  /** Untrusted text: escape it where it is shown. */
  readonly nodeName: string;
  /** Signed 64 bits. Identifies a node together with its IP address. */
  readonly nonce: bigint;
  /** Where the node claims to be reachable. Its host is an IP address. */
  readonly declaredAddress: PeerAddress | undefined;
  /** Seconds since 1970; unused. */
  readonly time: bigint;
}

function nameBytes(name: string): Uint8Array {
  const bytes = encodeUtf8(name);
  if (bytes.length > MAX_NAME_LENGTH)
    throw new RangeError(`Name of ${bytes.length} bytes exceeds ${MAX_NAME_LENGTH} bytes`);
  return bytes;
}

/**
 * Omits a declared address whose host is a name (page 04 §5.1).
 * @throws RangeError if a name exceeds 127 bytes
 */
export function encodeHandshake(handshake: Handshake): Uint8Array {
  const { applicationName, version, nodeName, nonce, declaredAddress, time } = handshake;
  const application = nameBytes(applicationName);
  const node = nameBytes(nodeName);
  const ip = declaredAddress === undefined ? undefined : ipBytes(declaredAddress.host);
  const writer = new ByteWriter(MAX_HANDSHAKE_LENGTH).i8(application.length).bytes(application);
  writer.i32(version.major).i32(version.minor).i32(version.patch);
  writer.i8(node.length).bytes(node).i64(nonce);
  if (declaredAddress === undefined || ip === undefined) writer.i32(0);
  else
    writer
      .i32(ip.length + PORT_LENGTH)
      .bytes(ip)
      .i32(declaredAddress.port);
  return writer.i64(time).toBytes();
}

function readName(reader: ByteReader, what: string): string {
  const length = reader.i8();
  if (length < 0) throw new WireError(`An invalid ${what} name's size: ${length}`);
  return decodeUtf8(reader.bytes(length));
}

function readDeclared(reader: ByteReader): PeerAddress | undefined {
  const length = reader.i32();
  if (!DECLARED_LENGTHS.includes(length))
    throw new WireError(`An invalid declared address length: ${length}`);
  if (length === 0) return undefined;
  const host = ipText(reader.bytes(length - PORT_LENGTH));
  const port = reader.i32();
  // No ban: the reference node never completes such a handshake.
  if (port < 0 || port > MAX_PORT) throw new WireError(`An invalid declared port: ${port}`, "close");
  return { host, port };
}

/**
 * Checks each received field, even if later ones are missing. Page 04 §5.2.
 * @returns undefined while bytes are missing; otherwise the handshake and its length in bytes
 * @throws WireError
 */
export function readHandshake(
  bytes: Uint8Array,
): { readonly handshake: Handshake; readonly length: number } | undefined {
  const reader = new ByteReader(bytes);
  try {
    const handshake: Handshake = {
      applicationName: readName(reader, "application"),
      version: { major: reader.i32(), minor: reader.i32(), patch: reader.i32() },
      nodeName: readName(reader, "node"),
      nonce: reader.i64(),
      declaredAddress: readDeclared(reader),
      time: reader.i64(),
    };
    return { handshake, length: reader.position };
  } catch (error) {
    if (error instanceof DecodeError) return undefined;
    throw error;
  }
}

/** Page 04 §5.3, step 2. */
export function isSupportedVersion({ major, minor }: ApplicationVersion): boolean {
  return (major === 0 && minor >= 13) || (major === 1 && minor >= 0);
}

/** Page 04 §5.3, steps 1 and 2. */
export function handshakeRefusal(
  { applicationName: remoteName, version }: Handshake,
  applicationName: string,
): WireError | undefined {
  if (remoteName !== applicationName)
    return new WireError(`Remote application name ${remoteName} does not match local ${applicationName}`);
  if (!isSupportedVersion(version))
    return new WireError(
      `Remote application version (${version.major},${version.minor},${version.patch}) is not supported`,
    );
  return undefined;
}

/** Identifies a node: one connection per key may be open. Page 04 §5.3, step 4. */
export function connectionKey(remoteHost: string, { nonce }: Handshake): string {
  return `${canonicalHost(remoteHost)} ${nonce}`;
}

/** The declared address, if its host is the peer's. Page 04 §18. */
export function verifiedAddress(remoteHost: string, { declaredAddress }: Handshake): PeerAddress | undefined {
  return declaredAddress?.host === canonicalHost(remoteHost) ? declaredAddress : undefined;
}
