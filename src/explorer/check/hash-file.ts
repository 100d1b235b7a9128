/** Hashes a file in chunks, so that it need not fit into memory. */
import { sha256 } from "@noble/hashes/sha2.js";
import { checkTexts as texts } from "./texts.ts";

export interface HashableFile {
  readonly size: number;
  stream(): ReadableStream<Uint8Array>;
}

/** A browser hashes this much in about ten minutes. */
export const MAX_FILE_BYTES = 32 * 2 ** 30;

/** Hashing a chunk takes about ten milliseconds. */
const CHUNK_BYTES = 2 ** 20;

export class FileError extends Error {
  override readonly name = "FileError";
}

export type Pause = () => Promise<void>;

/**
 * Returns the SHA-256 of the file.
 * @param onProgress called with the number of bytes hashed so far, before each `pause`
 * @throws FileError for an oversized or unreadable file; the abort reason of `signal`
 */
export async function hashFile(
  file: HashableFile,
  onProgress: (hashed: number) => void,
  pause: Pause,
  signal: AbortSignal,
): Promise<Uint8Array> {
  if (file.size > MAX_FILE_BYTES) throw new FileError(texts.fileTooLarge);
  const hash = sha256.create();
  const reader = file.stream().getReader();
  let hashed = 0;
  let reportedAt = 0;
  try {
    for (;;) {
      signal.throwIfAborted();
      const { value, done: isDone } = await readChunk(reader);
      if (isDone) return hash.digest();
      // Browsers read chunks of 64 KiB to 2 MiB.
      for (let at = 0; at < value.length; at += CHUNK_BYTES) {
        const chunk = value.subarray(at, at + CHUNK_BYTES);
        hash.update(chunk);
        hashed += chunk.length;
        if (hashed - reportedAt < CHUNK_BYTES && hashed < file.size) continue;
        reportedAt = hashed;
        onProgress(hashed);
        await pause();
        signal.throwIfAborted();
      }
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

async function readChunk(reader: ReadableStreamDefaultReader<Uint8Array>) {
  try {
    return await reader.read();
  } catch {
    // Browsers report the same error for a moved file, a changed file and a folder.
    throw new FileError(texts.fileUnreadable);
  }
}
