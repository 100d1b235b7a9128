import { existsSync, readdirSync, rmSync, statSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { encodeBase58 } from "../../bytes/base58.ts";
import { BaseError } from "../../errors/base-error.ts";
import { makeDirectory } from "../../runtime/make-directory.ts";
import { dataFile, incompleteKind, isUnwritten, markComplete, markIncomplete } from "../disk/directory.ts";
import { diskReason } from "../disk/disk-error.ts";
import { DamagedFileError, readNewestState } from "../disk/lmdb-pages.ts";
import { ChainFacts } from "./chain-facts.ts";
import { CopyError, CopyStoppedError } from "./copy-error.ts";
import { type CopyOptions, sha256Hex } from "./create-snapshot.ts";
import { claimDirectory } from "./directory-claim.ts";
import { checkFreeSpace } from "./free-space.ts";
import { ParallelTasks } from "./parallel-tasks.ts";
import {
  CHUNK_BYTES,
  checkSignature,
  chunkName,
  contentBytes,
  MANIFEST_FILE,
  MAX_MANIFEST_BYTES,
  MAX_SIGNATURE_BYTES,
  parseManifest,
  SIGNATURE_FILE,
  type SnapshotManifest,
  type SnapshotSigner,
} from "./snapshot-manifest.ts";
import type { SnapshotSource } from "./snapshot-source.ts";
import { StoreImage } from "./store-image.ts";

const decompress = promisify(gunzip);
const MAX_PARALLEL_CHUNKS = 4;

export interface SnapshotTrust {
  /** Base58 public keys of trusted signers. */
  readonly keys: readonly string[];
  /** A block that the chain must contain. Without a height, it must be the newest block or its parent. */
  readonly block?: { readonly height?: number | undefined; readonly id: string } | undefined;
  readonly isSourceTrusted: boolean;
}

export interface RestoreRequest {
  readonly source: SnapshotSource;
  readonly directory: string;
  readonly network: string;
  readonly trust: SnapshotTrust;
  readonly reserveBytes: number;
}

export interface RestoreOptions extends Omit<CopyOptions, "writeFile"> {
  /** Opens the data file, and creates it if it is missing. */
  readonly openFile?: (path: string) => Promise<FileHandle>;
}

interface CheckedManifest {
  readonly manifest: SnapshotManifest;
  readonly signer: SnapshotSigner | undefined;
}

/** @throws CopyError */
async function readManifest(source: SnapshotSource, network: string): Promise<CheckedManifest> {
  const bytes = await source.read(MANIFEST_FILE, MAX_MANIFEST_BYTES);
  if (bytes === undefined)
    throw new CopyError(`${source.name} has no ${MANIFEST_FILE}: it is not a complete snapshot`);
  const manifest = parseManifest(bytes, network);
  const signature = await source.read(SIGNATURE_FILE, MAX_SIGNATURE_BYTES);
  return { manifest, signer: signature && checkSignature(bytes, signature) };
}

/**
 * @param checkFileHash false if the caller checks the content's hash instead
 * @throws CopyError if the file is missing or contradicts the manifest
 */
async function readChunkFile(
  source: SnapshotSource,
  { chunks }: SnapshotManifest,
  index: number,
  checkFileHash = true,
): Promise<Buffer> {
  const { bytes, sha256 } = chunks[index];
  const name = chunkName(index);
  const file = await source.read(name, bytes);
  if (file === undefined) throw new CopyError(`The snapshot ${source.name} lacks ${name}`);
  if (file.length !== bytes || (checkFileHash && sha256Hex(file) !== sha256))
    throw new CopyError(`${name} of ${source.name} is damaged: it does not match ${MANIFEST_FILE}`);
  return file;
}

/** Returns the uncompressed content. @throws CopyError if the chunk is missing or contradicts the manifest */
async function readChunk(
  source: SnapshotSource,
  manifest: SnapshotManifest,
  index: number,
  checkFileHash = true,
): Promise<Buffer> {
  const chunk = manifest.chunks[index];
  const name = chunkName(index);
  const file = await readChunkFile(source, manifest, index, checkFileHash);
  const expected = contentBytes(manifest, index);
  let content: Buffer;
  try {
    content = await decompress(file, { maxOutputLength: expected, chunkSize: expected + 1 });
  } catch {
    throw new CopyError(`${name} of ${source.name} is not gzip data of ${expected} bytes`);
  }
  if (content.length !== expected || sha256Hex(content) !== chunk.contentSha256)
    throw new CopyError(`The content of ${name} of ${source.name} does not match ${MANIFEST_FILE}`);
  return content;
}

/** Checks every file without restoring. @throws CopyError */
export async function verifySnapshot(
  source: SnapshotSource,
  network: string,
  { progress, isStopped }: RestoreOptions = {},
): Promise<CheckedManifest> {
  const checked = await readManifest(source, network);
  const { manifest } = checked;
  const tasks = new ParallelTasks(MAX_PARALLEL_CHUNKS);
  let done = 0;
  try {
    for (const index of manifest.chunks.keys()) {
      await tasks.add(async () => {
        done += (await readChunk(source, manifest, index)).length;
        progress?.(done, manifest.bytes);
      });
      if (isStopped?.() === true) throw new CopyError("Stopped");
    }
    await tasks.end();
  } finally {
    await tasks.settle();
  }
  return checked;
}

/** @throws CopyError if there is no reason to trust the snapshot */
function checkTrust(
  { manifest, signer }: CheckedManifest,
  { keys, block, isSourceTrusted }: SnapshotTrust,
): void {
  const { height, block: newest, parent } = manifest;
  if (block !== undefined) {
    const isConsistent =
      block.height === undefined
        ? block.id === newest || block.id === parent
        : block.height > height
          ? false
          : block.height !== height || block.id === newest;
    if (!isConsistent)
      throw new CopyError(
        `The snapshot ends at height ${height} with block ${newest} after ${parent}, which contradicts --block ${blockText(block)}`,
      );
    return;
  }
  const key = signer && encodeBase58(signer.publicKey);
  if (key !== undefined && keys.includes(key)) return;
  if (isSourceTrusted) return;
  const found =
    key === undefined ? "it is not signed" : `it is signed by ${key}, which is not a --trusted-key`;
  throw new CopyError(
    `The snapshot is not trusted: ${found}. Its hashes show that it is undamaged, not that it is true. Give --trusted-key, or --trust-source, or --block with the id of its newest block from another source`,
  );
}

const blockText = ({ height, id }: NonNullable<SnapshotTrust["block"]>): string =>
  height === undefined ? id : `${height}:${id}`;

/** @throws the errors of `isUnwritten` */
export function canRestore(directory: string, network: string): boolean {
  return incompleteKind(directory) === "restore" || isUnwritten(directory, network);
}

function checkDirectory(directory: string, network: string): void {
  if (!canRestore(directory, network))
    throw new CopyError(`${directory} contains a chain: a snapshot never replaces one. Move it away first`);
}

/**
 * Empties the directory if the content is invalid. After another failure or a kill, the store cannot be opened, and the
 * next call continues the restore.
 * @throws CopyError, and the errors of `canRestore`
 */
export async function restoreSnapshot(
  request: RestoreRequest,
  options: RestoreOptions = {},
): Promise<SnapshotManifest> {
  const { source, directory, network, trust } = request;
  checkDirectory(directory, network);
  const checked = await readManifest(source, network);
  checkTrust(checked, trust);
  // Reject a damaged snapshot before writing to the disk.
  if (source.isLocal)
    for (const index of checked.manifest.chunks.keys()) await readChunkFile(source, checked.manifest, index);
  try {
    await writeStore(request, checked.manifest, options);
    return checked.manifest;
  } catch (error) {
    const reason = error instanceof BaseError ? undefined : diskReason(directory, error);
    if (reason === undefined) throw error;
    throw new CopyError(
      `Cannot restore the snapshot to ${directory}: ${reason}. The same command continues with what was written`,
      { cause: error },
    );
  }
}

async function writeStore(
  request: RestoreRequest,
  manifest: SnapshotManifest,
  options: RestoreOptions,
): Promise<void> {
  const { directory, network, reserveBytes } = request;
  const missingBytes = Math.max(0, manifest.bytes - dataBytes(directory));
  checkFreeSpace(directory, missingBytes, reserveBytes);
  makeDirectory(directory, 0o700);
  const claim = await claimDirectory(directory);
  try {
    // Another process may have restored a chain meanwhile.
    checkDirectory(directory, network);
    await writeDataFile(request, manifest, options);
  } finally {
    await claim.release();
  }
}

function dataBytes(directory: string): number {
  const path = dataFile(directory);
  return existsSync(path) ? statSync(path).size : 0;
}

async function writeDataFile(
  { source, directory, network, trust }: RestoreRequest,
  manifest: SnapshotManifest,
  { progress, isStopped, openFile = openDataFile }: RestoreOptions,
): Promise<void> {
  const path = dataFile(directory);
  const existingBytes = dataBytes(directory);
  markIncomplete(directory, "restore");
  const file = await openFile(path);
  const tasks = new ParallelTasks(MAX_PARALLEL_CHUNKS);
  try {
    if (existingBytes > manifest.bytes) await file.truncate(manifest.bytes);
    let done = 0;
    for (const [index, { contentSha256 }] of manifest.chunks.entries()) {
      const size = contentBytes(manifest, index);
      const offset = index * CHUNK_BYTES;
      await tasks.add(async () => {
        if (offset + size > existingBytes || (await hashOf(file, offset, size)) !== contentSha256)
          await writeAt(file, await readChunk(source, manifest, index, !source.isLocal), offset);
        done += size;
        progress?.(done, manifest.bytes);
      });
      if (isStopped?.() === true) break;
    }
    await tasks.end();
    throwIfStopped(isStopped);
    await file.sync();
    await checkContent(file, manifest, network, trust);
  } catch (error) {
    await tasks.settle();
    await file.close();
    // The content is invalid, so the next call would fail too.
    if (error instanceof ContentError) emptyDirectory(directory);
    else throwIfStopped(isStopped);
    throw error;
  }
  await file.close();
  markComplete(directory, { format: manifest.format, network });
}

/** @throws CopyStoppedError after a stop, in place of other errors */
function throwIfStopped(isStopped: RestoreOptions["isStopped"]): void {
  if (isStopped?.() === true)
    throw new CopyStoppedError("Stopped. The same command continues with what was written");
}

class ContentError extends CopyError {}

function emptyDirectory(directory: string): void {
  for (const name of readdirSync(directory)) rmSync(`${directory}/${name}`, { recursive: true, force: true });
}

/** @throws ContentError */
async function checkContent(
  file: FileHandle,
  manifest: SnapshotManifest,
  network: string,
  { block }: SnapshotTrust,
): Promise<void> {
  const height = block?.height;
  const facts = new ChainFacts(height);
  try {
    const image = await StoreImage.scan(file, readNewestState(file.fd), { onRow: facts.onRow });
    if (image.bytes !== manifest.bytes)
      throw new ContentError("The snapshot contains unused pages: it is not from Holdfast");
  } catch (error) {
    if (error instanceof DamagedFileError)
      throw new ContentError(`The snapshot is invalid: ${error.message}`);
    throw error;
  }
  if (facts.network !== network) throw new ContentError("The snapshot contains the chain of another network");
  for (const fact of ["format", "height", "block", "parent"] as const)
    if (facts[fact] !== manifest[fact])
      throw new ContentError(
        `The snapshot contradicts its ${MANIFEST_FILE}: the ${fact} is ${facts[fact]}, not ${manifest[fact]}`,
      );
  if (block !== undefined && height !== undefined && facts.requestedBlock !== block.id)
    throw new ContentError(
      `The snapshot has block ${facts.requestedBlock} at height ${height}, which contradicts --block ${blockText(block)}`,
    );
}

async function openDataFile(path: string): Promise<FileHandle> {
  return open(path, existsSync(path) ? "r+" : "wx+", 0o600);
}

async function hashOf(file: FileHandle, offset: number, size: number): Promise<string> {
  const bytes = Buffer.allocUnsafe(size);
  const { bytesRead } = await file.read(bytes, 0, size, offset);
  return sha256Hex(bytes.subarray(0, bytesRead));
}

async function writeAt(file: FileHandle, bytes: Buffer, offset: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, done, bytes.length - done, offset + done);
    done += bytesWritten;
  }
}
