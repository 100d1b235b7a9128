/** SHA-256 of a file in chunks: the file need not fit into memory. */
import { sha256 } from "@noble/hashes/sha2.js";
import { checkTexts as texts } from "./texts.ts";

export interface HashedFile {
  readonly size: number;
  stream(): ReadableStream<Uint8Array>;
}

/** About ten minutes in a browser. For longer files, users paste the hash. */
export const MAX_FILE_BYTES = 32 * 2 ** 30;

/** Bytes between two pauses, about ten milliseconds. */
const CHUNK_BYTES = 2 ** 20;

/** The message is a sentence for users. */
export class FileError extends Error {
  override readonly name = "FileError";
}

/** Keeps the page responsive between chunks. */
export type Pause = () => Promise<void>;

/**
 * @param onProgress called with the number of bytes hashed so far, before each `pause`
 * @throws FileError
 * @throws the abort reason of `signal`
 */
export async function hashFile(
  file: HashedFile,
  onProgress: (done: number) => void,
  pause: Pause,
  signal: AbortSignal,
): Promise<Uint8Array> {
  if (file.size > MAX_FILE_BYTES) throw new FileError(texts.fileTooLong);
  const hash = sha256.create();
  const reader = file.stream().getReader();
  let done = 0;
  let reported = 0;
  try {
    for (;;) {
      signal.throwIfAborted();
      const { value, done: isDone } = await readPiece(reader);
      if (isDone) return hash.digest();
      // Browsers read chunks of 64 KiB to 2 MiB.
      for (let at = 0; at < value.length; at += CHUNK_BYTES) {
        const piece = value.subarray(at, at + CHUNK_BYTES);
        hash.update(piece);
        done += piece.length;
        if (done - reported < CHUNK_BYTES && done < file.size) continue;
        reported = done;
        onProgress(done);
        await pause();
        signal.throwIfAborted();
      }
    }
  } finally {
    // Read errors have been reported.
    reader.cancel().catch(() => {});
  }
}

async function readPiece(reader: ReadableStreamDefaultReader<Uint8Array>) {
  try {
    return await reader.read();
  } catch {
    // Browsers do not tell a moved or changed file from a folder.
    throw new FileError(texts.fileUnreadable);
  }
}
