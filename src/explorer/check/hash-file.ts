/** SHA-256 of a file, read piece by piece: nothing of it leaves the browser, and it need not fit into memory. */
import { sha256 } from "@noble/hashes/sha2.js";

/** What a file is here: that of a browser will do. */
export interface HashedFile {
  readonly size: number;
  stream(): ReadableStream<Uint8Array>;
}

/**
 * What a browser hashes within some ten minutes. A longer file is hashed by the tools of its system, and its hash is
 * given in its place.
 */
export const MAX_FILE_BYTES = 32 * 2 ** 30;

/** Bytes that are hashed between two pauses: some ten milliseconds. */
const CHUNK_BYTES = 2 ** 20;

/** The file is too long, or could not be read to its end. The message is a sentence for people. */
export class FileError extends Error {
  override readonly name = "FileError";
}

/** Asked for in between, so that the page can be drawn and used. */
export type Pause = () => Promise<void>;

/**
 * The hash of a file.
 * @param onProgress told of the bytes that are done
 * @param pause awaited whenever it was told
 * @throws FileError
 * @throws what `signal` is aborted with
 */
export async function hashFile(
  file: HashedFile,
  onProgress: (done: number) => void,
  pause: Pause,
  signal: AbortSignal,
): Promise<Uint8Array> {
  if (file.size > MAX_FILE_BYTES)
    throw new FileError(
      "This file is too long for a browser. Compute its SHA-256 with sha256sum, and paste it.",
    );
  const hash = sha256.create();
  const reader = file.stream().getReader();
  let done = 0;
  let told = 0;
  try {
    for (;;) {
      signal.throwIfAborted();
      const { value, done: isDone } = await readPiece(reader);
      if (isDone) return hash.digest();
      // Browsers give pieces of 64 KiB to 2 MiB.
      for (let at = 0; at < value.length; at += CHUNK_BYTES) {
        const piece = value.subarray(at, at + CHUNK_BYTES);
        hash.update(piece);
        done += piece.length;
        if (done - told < CHUNK_BYTES && done < file.size) continue;
        told = done;
        onProgress(done);
        await pause();
        signal.throwIfAborted();
      }
    }
  } finally {
    // Whoever cancels after the end cancels nothing; a file that fails has said so.
    reader.cancel().catch(() => {});
  }
}

async function readPiece(reader: ReadableStreamDefaultReader<Uint8Array>) {
  try {
    return await reader.read();
  } catch {
    // It was moved, or changed while it was read, or is a folder: browsers do not say which.
    throw new FileError("The file could not be read to its end. Was it moved or changed? Choose it again.");
  }
}
