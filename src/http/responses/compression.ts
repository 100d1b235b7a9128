/** Answers made shorter for clients that take them so: gzip and Brotli, in the threads of the platform. */
import { pipeline, type Readable } from "node:stream";
import { brotliCompress, constants, createBrotliCompress, createGzip, gzip } from "node:zlib";
import type { FastifyReply, FastifyRequest } from "fastify";
import { header, varyBy } from "../requests/headers.ts";
import { CHUNK_BYTES, chunkStream } from "./backpressure.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    isGuarded?: boolean;
  }
}

/** Answers that are compressed at the same time; further ones go out as they are. */
const MAX_CONCURRENT = 4;

/** Quick rather than thorough: a third of the bytes for some ten milliseconds of a megabyte. */
const GZIP = { level: 4 };
const BROTLI = {
  params: {
    [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
    [constants.BROTLI_PARAM_QUALITY]: 4,
    [constants.BROTLI_PARAM_LGWIN]: 18,
  },
};

type Encoding = "br" | "gzip";

const QUALITY = /^q\s*=\s*([01](?:\.\d{0,3})?)$/i;

/** The best that an `Accept-Encoding` takes, Brotli where it takes both alike; undefined: the answer as it is. */
export function encodingFor(accepted: string | undefined): Encoding | undefined {
  if (accepted === undefined) return undefined;
  const qualities = new Map<string, number>();
  for (const part of accepted.toLowerCase().split(",")) {
    const [name, ...parameters] = part.split(";").map((text) => text.trim());
    const quality = parameters.map((text) => QUALITY.exec(text)?.[1]).find((text) => text !== undefined);
    qualities.set(name === "x-gzip" ? "gzip" : name, Number(quality ?? 1));
  }
  const other = qualities.get("*") ?? 0;
  const brotli = qualities.get("br") ?? other;
  const zipped = qualities.get("gzip") ?? other;
  const best = Math.max(brotli, zipped);
  if (best === 0 || best < (qualities.get("identity") ?? 0)) return undefined;
  return brotli === best ? "br" : "gzip";
}

/** Takes answer after answer to be compressed, a few at a time. */
export class Compression {
  readonly #from: number;
  #running = 0;

  /** @param from bytes from which on an answer is compressed */
  constructor(from: number) {
    this.#from = from;
  }

  /**
   * Whether an answer is to be compressed, and how. What a key protects is not: who sees the lengths of answers that
   * hold both a secret and a text of his choice can guess the one by the other.
   */
  encodingOf(request: FastifyRequest, reply: FastifyReply, bytes: number): Encoding | undefined {
    if (bytes < this.#from || request.routeOptions.config.isGuarded === true) return undefined;
    const type = String(reply.getHeader("content-type"));
    if (!type.startsWith("application/json") && !type.startsWith("text/")) return undefined;
    varyBy(reply, "Accept-Encoding");
    if (this.#running >= MAX_CONCURRENT || request.method === "HEAD") return undefined;
    return encodingFor(header(request.headers, "accept-encoding"));
  }

  /**
   * Compresses an answer: one of a piece as a whole, a longer one piece by piece, the next when there is room for it.
   * @param done is given what goes out in its place
   */
  compress(
    encoding: Encoding,
    parts: readonly Uint8Array[],
    reply: FastifyReply,
    done: (error: Error | null, shorter?: Uint8Array | Readable) => void,
  ): void {
    this.#running++;
    reply.header("content-encoding", encoding);
    if (parts.length === 1 && parts[0].length <= CHUNK_BYTES) {
      const ready = (error: Error | null, shorter: Uint8Array): void => {
        this.#running--;
        done(error, shorter);
      };
      if (encoding === "br") brotliCompress(parts[0], BROTLI, ready);
      else gzip(parts[0], GZIP, ready);
      return;
    }
    reply.removeHeader("content-length");
    const zip = encoding === "br" ? createBrotliCompress(BROTLI) : createGzip(GZIP);
    // Its end, or that of its connection: whoever sends it notices the latter.
    pipeline(chunkStream(parts), zip, () => {
      this.#running--;
    });
    done(null, zip);
  }
}
