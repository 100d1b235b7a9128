import { open, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { reasonOf } from "../../bytes/errors.ts";
import type { Clock } from "../../interfaces.ts";
import { pause } from "../../runtime/timers.ts";
import { diskReason } from "../disk/disk-error.ts";
import { CopyError, CopyStoppedError } from "./copy-error.ts";
import { MANIFEST_FILE } from "./snapshot-manifest.ts";

export interface SnapshotSource {
  readonly name: string;
  /** True if reading a file again costs little. */
  readonly isLocal: boolean;
  /**
   * Returns undefined if the file is missing.
   * @throws CopyError if the file is longer than `limit` bytes or cannot be read
   */
  read(file: string, limit: number): Promise<Buffer | undefined>;
}

const MAX_REDIRECTS = 5;
const MAX_ATTEMPTS = 6;
/** The delay after attempt n is 2ⁿ times this. */
const RETRY_BASE_MS = 500;
const IDLE_TIMEOUT_MS = 30_000;

const tooLongError = (file: string, limit: number): CopyError =>
  new CopyError(`${file} has more than ${limit} bytes`);

function folderSource(location: string): SnapshotSource {
  const path = resolve(location);
  const folder = path.endsWith(`/${MANIFEST_FILE}`) ? dirname(path) : path;
  return {
    name: folder,
    isLocal: true,
    async read(file, limit) {
      const filePath = join(folder, file);
      try {
        const found = await stat(filePath);
        if (!found.isFile()) throw new CopyError(`${filePath} is not a file`);
        if (found.size > limit) throw tooLongError(filePath, limit);
        const handle = await open(filePath);
        try {
          // Read no more than this size: the file may have grown since `stat`.
          const bytes = Buffer.allocUnsafe(found.size);
          const { bytesRead } = await handle.read(bytes, 0, bytes.length, 0);
          return bytes.subarray(0, bytesRead);
        } finally {
          await handle.close();
        }
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException;
        if (code === "ENOENT") return undefined;
        const reason = error instanceof CopyError ? undefined : diskReason(folder, error);
        if (reason === undefined) throw error;
        throw new CopyError(`Cannot read ${filePath}: ${reason}`, { cause: error });
      }
    },
  };
}

/** The download failed in a way that justifies another attempt. */
class TransferError extends Error {}

/**
 * @param location URL of the folder of a snapshot, or of its manifest
 * @param clock for retry delays and timeouts
 */
function httpSource(location: string, clock: Pick<Clock, "after">, stop: AbortSignal): SnapshotSource {
  const url = new URL(location);
  if (url.username !== "" || url.password !== "") {
    url.username = "";
    url.password = "";
    throw new CopyError(`The URL ${url.href} has a user name or a password, which is not supported`);
  }
  if (url.pathname.endsWith(`/${MANIFEST_FILE}`)) url.pathname = url.pathname.slice(0, -MANIFEST_FILE.length);
  if (!url.pathname.endsWith("/")) url.pathname += "/";
  return {
    name: url.href,
    isLocal: false,
    async read(file, limit) {
      const target = new URL(url);
      target.pathname += file;
      const parts: Buffer[] = [];
      for (let attempt = 1; ; attempt++) {
        try {
          return await download(target, parts, limit, clock, stop);
        } catch (error) {
          if (stop.aborted) throw new CopyStoppedError("Stopped");
          if (!(error instanceof TransferError)) throw error;
          if (attempt === MAX_ATTEMPTS)
            throw new CopyError(`Cannot download ${target.href}: ${reasonOf(error)} (${attempt} attempts)`);
          await pause(clock, RETRY_BASE_MS * 2 ** attempt, stop);
        }
      }
    },
  };
}

/** @param parts received bytes; another attempt continues after them */
async function download(
  url: URL,
  parts: Buffer[],
  limit: number,
  clock: Pick<Clock, "after">,
  stop: AbortSignal,
): Promise<Buffer | undefined> {
  const abort = new AbortController();
  const abortDownload = (): void => abort.abort();
  stop.addEventListener("abort", abortDownload);
  let cancelTimeout = (): void => {};
  const restartTimeout = (): void => {
    cancelTimeout();
    cancelTimeout = clock.after(IDLE_TIMEOUT_MS, () => abort.abort(new TransferError("no data within 30 s")));
  };
  let length = parts.reduce((sum, { length: bytes }) => sum + bytes, 0);
  try {
    stop.throwIfAborted();
    restartTimeout();
    const response = await fetchWithRedirects(url, length, abort.signal);
    if (response.status === 404 || response.status === 410) return undefined;
    if (response.status >= 500 || response.status === 429)
      throw new TransferError(`status ${response.status}`);
    const isContinuation = response.status === 206 && length > 0;
    if (response.status !== 200 && !isContinuation)
      throw new CopyError(`Cannot download ${url.href}: status ${response.status}`);
    if (isContinuation && !response.headers.get("content-range")?.startsWith(`bytes ${length}-`))
      throw new CopyError(`Cannot download ${url.href}: the server sent a range that was not requested`);
    if (!isContinuation) {
      parts.length = 0;
      length = 0;
    }
    for await (const part of response.body ?? []) {
      restartTimeout();
      length += part.length;
      if (length > limit) throw tooLongError(url.href, limit);
      parts.push(Buffer.from(part));
    }
    return Buffer.concat(parts);
  } catch (error) {
    if (error instanceof CopyError || error instanceof TransferError) throw error;
    const { cause } = error as { readonly cause?: unknown };
    throw new TransferError(cause instanceof Error ? cause.message : reasonOf(error));
  } finally {
    cancelTimeout();
    stop.removeEventListener("abort", abortDownload);
    abort.abort();
  }
}

async function fetchWithRedirects(url: URL, offset: number, signal: AbortSignal): Promise<Response> {
  let target = url;
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const headers = {
      // With compression, ranges would not count the file's bytes.
      "accept-encoding": "identity",
      ...(offset > 0 && { range: `bytes=${offset}-` }),
    };
    const response = await fetch(target, { redirect: "manual", signal, headers });
    const location = response.headers.get("location");
    if (response.status < 300 || response.status >= 400 || response.status === 304 || location === null)
      return response;
    await response.body?.cancel();
    target = new URL(location, target);
    if (target.protocol !== "https:" && target.protocol !== url.protocol)
      throw new CopyError(`${url.href} redirects to ${target.protocol}, which is not accepted`);
  }
  throw new CopyError(`${url.href} redirects more than ${MAX_REDIRECTS} times`);
}

/** @throws CopyError for a URL with a user name or a password */
export function snapshotSource(
  location: string,
  clock: Pick<Clock, "after">,
  stop: AbortSignal = new AbortController().signal,
): SnapshotSource {
  return /^https?:\/\//i.test(location) ? httpSource(location, clock, stop) : folderSource(location);
}
