import { pipeline, type Readable } from "node:stream";
import { brotliCompress, constants, createBrotliCompress, createGzip, gzip } from "node:zlib";
import type { FastifyReply, FastifyRequest } from "fastify";
import { header, varyBy } from "../requests/headers.ts";
import { CHUNK_BYTES, chunkStream } from "./backpressure.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    needsKey?: boolean;
  }
}

/** Further answers are sent uncompressed. */
const MAX_CONCURRENT = 4;

/** A fast level: a megabyte takes about 10 ms. */
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

/** Chooses Brotli if the client has no preference. Undefined: no compression. */
export function encodingFor(accepted: string | undefined): Encoding | undefined {
  if (accepted === undefined) return undefined;
  const qualities = new Map<string, number>();
  for (const part of accepted.toLowerCase().split(",")) {
    const [name, ...parameters] = part.split(";").map((text) => text.trim());
    const quality = parameters.map((text) => QUALITY.exec(text)?.[1]).find((text) => text !== undefined);
    qualities.set(name === "x-gzip" ? "gzip" : name, Number(quality ?? 1));
  }
  const wildcard = qualities.get("*") ?? 0;
  const brotli = qualities.get("br") ?? wildcard;
  const gzipped = qualities.get("gzip") ?? wildcard;
  const best = Math.max(brotli, gzipped);
  if (best === 0 || best < (qualities.get("identity") ?? 0)) return undefined;
  return brotli === best ? "br" : "gzip";
}

export class Compression {
  readonly #minBytes: number;
  #runningCount = 0;

  constructor(minBytes: number) {
    this.#minBytes = minBytes;
  }

  /** Answers of key routes stay uncompressed: their length could reveal secrets. */
  encodingOf(request: FastifyRequest, reply: FastifyReply, bytes: number): Encoding | undefined {
    if (bytes < this.#minBytes || request.routeOptions.config.needsKey === true) return undefined;
    const type = String(reply.getHeader("content-type"));
    if (!type.startsWith("application/json") && !type.startsWith("text/")) return undefined;
    varyBy(reply, "Accept-Encoding");
    if (this.#runningCount >= MAX_CONCURRENT || request.method === "HEAD") return undefined;
    return encodingFor(header(request.headers, "accept-encoding"));
  }

  compress(
    encoding: Encoding,
    parts: readonly Uint8Array[],
    reply: FastifyReply,
    done: (error: Error | null, compressed?: Uint8Array | Readable) => void,
  ): void {
    this.#runningCount++;
    reply.header("content-encoding", encoding);
    if (parts.length === 1 && parts[0].length <= CHUNK_BYTES) {
      const finish = (error: Error | null, compressed: Uint8Array): void => {
        this.#runningCount--;
        done(error, compressed);
      };
      if (encoding === "br") brotliCompress(parts[0], BROTLI, finish);
      else gzip(parts[0], GZIP, finish);
      return;
    }
    reply.removeHeader("content-length");
    const zip = encoding === "br" ? createBrotliCompress(BROTLI) : createGzip(GZIP);
    // The code that sends the stream handles errors.
    pipeline(chunkStream(parts), zip, () => {
      this.#runningCount--;
    });
    done(null, zip);
  }
}
