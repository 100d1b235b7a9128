/**
 * The last step of an answer: tracks it until it is read, compresses it if possible, and passes it to the socket in
 * chunks.
 */
import type { FastifyInstance } from "fastify";
import { CHUNK_BYTES, chunkStream, type ResponseBackpressure } from "./backpressure.ts";
import type { Compression } from "./compression.ts";
import { ChunkedBody } from "./reply.ts";

export function sendResponses(
  server: FastifyInstance,
  backpressure: ResponseBackpressure,
  compression: Compression | undefined,
): void {
  server.addHook("onSend", (request, reply, payload, done) => {
    const isText = typeof payload === "string";
    if (!isText && !(payload instanceof Uint8Array) && !(payload instanceof ChunkedBody)) {
      // A stream, of which at most one chunk is buffered; or nothing.
      backpressure.track(reply.raw, payload === null || payload === undefined ? 0 : CHUNK_BYTES);
      return done();
    }
    const bytes = isText
      ? Buffer.byteLength(payload)
      : payload instanceof ChunkedBody
        ? payload.bytes
        : payload.length;
    backpressure.track(reply.raw, bytes);
    const encoding = compression?.encodingOf(request, reply, bytes);
    if (encoding === undefined && bytes <= CHUNK_BYTES && !(payload instanceof ChunkedBody)) return done();
    const parts = isText
      ? [Buffer.from(payload)]
      : payload instanceof ChunkedBody
        ? payload.parts
        : [payload];
    if (compression !== undefined && encoding !== undefined) {
      compression.compress(encoding, parts, reply, done);
      return;
    }
    reply.header("content-length", bytes);
    done(null, chunkStream(parts));
  });
  server.addHook("onClose", (_server, done) => {
    backpressure.close();
    done();
  });
}
