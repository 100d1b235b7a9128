/** Formats of `manifest.json`, and of `manifest.sig.json`, an optional signature of that file. */
import { decodeBase58, encodeBase58 } from "../../bytes/base58.ts";
import { concatBytes } from "../../bytes/compare.ts";
import { encodeUtf8 } from "../../bytes/utf8.ts";
import { sha256 } from "../../crypto/hashes.ts";
import { type KeyType, keyTypeByName } from "../../crypto/key-types.ts";
import { type KeyPair, sign, verify } from "../../crypto/signatures.ts";
import { FORMAT_VERSION, isUpgradable } from "../disk/directory.ts";
import { MIN_PAGE_BYTES } from "../disk/lmdb-pages.ts";
import { networkText } from "../network-identity.ts";
import { CopyError } from "./copy-error.ts";

export const MANIFEST_FILE = "manifest.json";
export const SIGNATURE_FILE = "manifest.sig.json";
export const MAX_MANIFEST_BYTES = 16 * 2 ** 20;
export const MAX_SIGNATURE_BYTES = 4_096;
/** Size of each chunk before compression; the last one may be shorter. */
export const CHUNK_BYTES = 16 * 2 ** 20;
/** Compression may make a chunk longer. */
const MAX_CHUNK_FILE_BYTES = CHUNK_BYTES + 65_536;
const MANIFEST_VERSION = 1;
/** No transaction starts with 0xff, so a snapshot's signature is never valid for a transaction. */
const SIGNED_PREFIX = concatBytes(Uint8Array.of(0xff), encodeUtf8("holdfast snapshot "));

export interface SnapshotChunk {
  /** Size, and SHA-256 in hex, of the compressed file. */
  readonly bytes: number;
  readonly sha256: string;
  /** SHA-256 of the uncompressed content, in hex. */
  readonly contentSha256: string;
}

export interface SnapshotManifest {
  readonly network: string;
  readonly format: number;
  readonly created: string;
  readonly height: number;
  /** Base58 ids of the newest block and of its parent. */
  readonly block: string;
  readonly parent: string;
  /** State and configuration of each index, by name. */
  readonly indexes: Readonly<Record<string, string>>;
  /** Size of the uncompressed data file. */
  readonly bytes: number;
  readonly chunks: readonly SnapshotChunk[];
}

export interface SnapshotSigner {
  readonly keyType: KeyType;
  readonly publicKey: Uint8Array;
}

export function chunkName(index: number): string {
  return `chunk-${String(index).padStart(6, "0")}.gz`;
}

export function contentBytes({ bytes }: Pick<SnapshotManifest, "bytes">, index: number): number {
  return Math.min(CHUNK_BYTES, bytes - index * CHUNK_BYTES);
}

export function printManifest({ chunks, ...facts }: SnapshotManifest): Buffer {
  const listed = chunks.map((chunk, i) => ({ file: chunkName(i), ...chunk }));
  return Buffer.from(
    `${JSON.stringify({ version: MANIFEST_VERSION, ...facts, chunks: listed }, undefined, 1)}\n`,
  );
}

const isUnsignedUpTo = (value: unknown, max: number): value is number =>
  Number.isInteger(value) && (value as number) >= 0 && (value as number) <= max;
const isHash = (value: unknown): boolean => typeof value === "string" && /^[0-9a-f]{64}$/.test(value);
const isId = (value: unknown): boolean =>
  typeof value === "string" && /^[1-9A-HJ-NP-Za-km-z]{32,100}$/.test(value);
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** @throws CopyError with the name of the invalid member */
export function parseManifest(bytes: Uint8Array, network: string): SnapshotManifest {
  const found = parseObject(bytes, MANIFEST_FILE);
  if (found.version !== MANIFEST_VERSION)
    throw new CopyError(
      `The snapshot has version ${jsonText(found.version)}, this node reads version ${MANIFEST_VERSION}`,
    );
  if (typeof found.network !== "string") throw invalidMemberError("network");
  if (found.network !== network)
    throw new CopyError(
      `The snapshot belongs to the network ${networkText(found.network.slice(0, 300))}, not to ${networkText(network)}`,
    );
  if (!isUnsignedUpTo(found.format, 1_000)) throw invalidMemberError("format");
  if (found.format !== FORMAT_VERSION && !isUpgradable(found.format))
    throw new CopyError(
      `The snapshot has store format ${found.format}, this version reads format ${FORMAT_VERSION}: use a version of Holdfast for that format`,
    );
  const { created, height, block, parent, indexes, bytes: size, chunks } = found;
  if (typeof created !== "string" || Number.isNaN(Date.parse(created))) throw invalidMemberError("created");
  if (!isUnsignedUpTo(height, 2 ** 32)) throw invalidMemberError("height");
  if (!isId(block)) throw invalidMemberError("block");
  if (!isId(parent)) throw invalidMemberError("parent");
  if (!isObject(indexes) || !Object.values(indexes).every((text) => typeof text === "string"))
    throw invalidMemberError("indexes");
  if (!isUnsignedUpTo(size, 2 ** 45) || size === 0 || size % MIN_PAGE_BYTES !== 0)
    throw invalidMemberError("bytes");
  const count = Math.ceil(size / CHUNK_BYTES);
  if (!Array.isArray(chunks)) throw invalidMemberError("chunks");
  if (chunks.length !== count)
    throw new CopyError(
      `${MANIFEST_FILE} lists ${chunks.length} chunks, but ${size} bytes are in ${count} chunks`,
    );
  for (const [i, chunk] of chunks.entries()) {
    if (!isObject(chunk) || chunk.file !== chunkName(i))
      throw new CopyError(
        `${MANIFEST_FILE}: chunk ${i} must be ${chunkName(i)}, not ${jsonText(isObject(chunk) ? chunk.file : chunk)}`,
      );
    if (!isUnsignedUpTo(chunk.bytes, MAX_CHUNK_FILE_BYTES) || chunk.bytes === 0)
      throw new CopyError(
        `${MANIFEST_FILE}: ${chunkName(i)} has an impossible size, ${jsonText(chunk.bytes)} bytes`,
      );
    if (!isHash(chunk.sha256) || !isHash(chunk.contentSha256))
      throw invalidMemberError(`hash of ${chunkName(i)}`);
  }
  // The checks above cover all members.
  return found as unknown as SnapshotManifest;
}

function parseObject(bytes: Uint8Array, file: string): Record<string, unknown> {
  let found: unknown;
  try {
    found = JSON.parse(Buffer.from(bytes).toString("utf8"));
  } catch {
    throw new CopyError(`${file} is not valid JSON`);
  }
  if (!isObject(found)) throw new CopyError(`${file} is not a JSON object`);
  return found;
}

const invalidMemberError = (member: string): CopyError =>
  new CopyError(`${MANIFEST_FILE}: the ${member} is missing or invalid`);
/** Returns JSON without characters that control a terminal. */
const jsonText = (value: unknown): string =>
  (JSON.stringify(value) ?? "nothing").replace(/\p{C}/gu, " ").slice(0, 100);

function signedMessage(manifest: Uint8Array): Uint8Array {
  return concatBytes(SIGNED_PREFIX, sha256(manifest));
}

export function printSignature(manifest: Uint8Array, keyPair: KeyPair): Buffer {
  const { keyType, publicKey } = keyPair;
  const signature = encodeBase58(sign(keyPair, signedMessage(manifest)));
  return Buffer.from(`${JSON.stringify({ keyType, publicKey: encodeBase58(publicKey), signature })}\n`);
}

/** @throws CopyError if the signature is invalid */
export function checkSignature(manifest: Uint8Array, signatureFile: Uint8Array): SnapshotSigner {
  const { keyType, publicKey, signature } = parseObject(signatureFile, SIGNATURE_FILE);
  try {
    const key = { keyType: keyTypeByName(String(keyType)).name, bytes: decodeBase58(String(publicKey), 100) };
    if (verify(key, signedMessage(manifest), decodeBase58(String(signature), 100)))
      return { keyType: key.keyType, publicKey: key.bytes };
  } catch {
    // An unknown key type or a malformed text is an invalid signature.
  }
  throw new CopyError(
    `${SIGNATURE_FILE} does not contain a valid signature of ${MANIFEST_FILE}: one of them was changed`,
  );
}
