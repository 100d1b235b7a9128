import { createHash } from "node:crypto";
import { renameSync } from "node:fs";
import { open } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { KeyPair } from "../../crypto/signatures.ts";
import { BaseError } from "../../errors/base-error.ts";
import { FORMAT_VERSION, flush, StoreFormatError } from "../disk/directory.ts";
import { diskReason } from "../disk/disk-error.ts";
import { ChainFacts } from "./chain-facts.ts";
import { CopyError } from "./copy-error.ts";
import { checkTarget, removeDraft, withDraft } from "./copy-target.ts";
import { checkFreeSpace } from "./free-space.ts";
import { ParallelTasks } from "./parallel-tasks.ts";
import { PinnedStore, pinTogether } from "./pinned-store.ts";
import {
  CHUNK_BYTES,
  chunkName,
  MANIFEST_FILE,
  printManifest,
  printSignature,
  SIGNATURE_FILE,
  type SnapshotChunk,
  type SnapshotManifest,
} from "./snapshot-manifest.ts";
import { StoreImage } from "./store-image.ts";

const compress = promisify(gzip);
/** Level 1 takes a fifth of the default level's time, for files that are a twentieth larger. */
const GZIP_LEVEL = 1;
const MAX_PARALLEL_CHUNKS = 3;
const FILE_NAME = /^(chunk-\d{6}\.gz|manifest(\.sig)?\.json)$/;

export interface SnapshotRequest {
  /** New or empty directory. */
  readonly target: string;
  readonly directory: string;
  readonly network: string;
  readonly reserveBytes: number;
  /** Ms since 1970. */
  readonly now: number;
  readonly keyPair?: KeyPair | undefined;
}

export interface CopyOptions {
  readonly progress?: (doneBytes: number, totalBytes: number) => void;
  readonly isStopped?: () => boolean;
  readonly writeFile?: (path: string, bytes: Uint8Array) => Promise<void>;
}

export const sha256Hex = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

/**
 * Writes a snapshot, also while a node writes to the store.
 * @throws CopyError, StoreFormatError for an older format, and the errors of `openStore`
 */
export async function createSnapshot(
  request: SnapshotRequest,
  options: CopyOptions = {},
): Promise<SnapshotManifest> {
  const target = checkTarget(request.target, "snapshot");
  const draft = `${target}.incomplete`;
  await removeDraft(draft, "snapshot", (names) => names.every((name) => FILE_NAME.test(name)));
  const store = await PinnedStore.open(request.directory, request.network);
  try {
    if (store.format !== FORMAT_VERSION) throw new StoreFormatError(request.directory, store.format);
    return await writeSnapshot(request, store, draft, target, options);
  } catch (error) {
    const reason = error instanceof BaseError ? undefined : diskReason(dirname(target), error);
    if (reason === undefined) throw error;
    throw new CopyError(`Cannot write the snapshot ${target}: ${reason}`, { cause: error });
  } finally {
    await store.close();
  }
}

async function writeSnapshot(
  request: SnapshotRequest,
  store: PinnedStore,
  draft: string,
  target: string,
  options: CopyOptions,
): Promise<SnapshotManifest> {
  const facts = new ChainFacts();
  const [state] = pinTogether([store]);
  const image = await StoreImage.scan(store.file, state, { onRow: facts.onRow });
  if (facts.height === 0) throw new CopyError("The chain has no blocks");
  // The compressed size is unknown until the chunks are written.
  checkFreeSpace(target, image.bytes, request.reserveBytes);
  return withDraft(draft, 0o755, async (claim) => {
    const chunks = await writeChunks(image, draft, options);
    const manifest = await writeManifest(request, facts, image.bytes, chunks, draft, options);
    flush(draft);
    claim.check();
    claim.removeSocket();
    renameSync(draft, target);
    flush(dirname(target));
    return manifest;
  });
}

async function writeChunks(
  image: StoreImage,
  draft: string,
  { progress, isStopped, writeFile = writeDurably }: CopyOptions,
): Promise<SnapshotChunk[]> {
  const chunks: SnapshotChunk[] = [];
  let done = 0;
  let count = 0;
  const tasks = new ParallelTasks(MAX_PARALLEL_CHUNKS);
  try {
    for await (const content of image.chunks(CHUNK_BYTES)) {
      const index = count++;
      await tasks.add(async () => {
        const bytes = await compress(content, { level: GZIP_LEVEL });
        await writeFile(join(draft, chunkName(index)), bytes);
        chunks[index] = { bytes: bytes.length, sha256: sha256Hex(bytes), contentSha256: sha256Hex(content) };
        done += content.length;
        progress?.(done, image.bytes);
      });
      if (isStopped?.() === true) throw new CopyError("Stopped. The snapshot was deleted");
    }
    await tasks.end();
    return chunks;
  } finally {
    // No task may write a file after the draft was deleted.
    await tasks.settle();
  }
}

async function writeManifest(
  { network, now, keyPair }: SnapshotRequest,
  { height, block, parent, indexes }: ChainFacts,
  size: number,
  chunks: readonly SnapshotChunk[],
  draft: string,
  { writeFile = writeDurably }: CopyOptions,
): Promise<SnapshotManifest> {
  const manifest: SnapshotManifest = {
    network,
    format: FORMAT_VERSION,
    created: new Date(now).toISOString(),
    height,
    block,
    parent,
    indexes,
    bytes: size,
    chunks,
  };
  const bytes = printManifest(manifest);
  if (keyPair !== undefined) await writeFile(join(draft, SIGNATURE_FILE), printSignature(bytes, keyPair));
  await writeFile(join(draft, MANIFEST_FILE), bytes);
  return manifest;
}

async function writeDurably(path: string, bytes: Uint8Array): Promise<void> {
  const file = await open(path, "wx", 0o644);
  try {
    await file.writeFile(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
}
