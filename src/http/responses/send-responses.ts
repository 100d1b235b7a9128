import type { FastifyInstance } from "fastify";
import { CHUNK_BYTES, chunkStream, type ResponseBackpressure } from "./backpressure.ts";
import type { Compression } from "./compression.ts";
import { byteLength, ChunkedBody } from "./reply.ts";

export function sendResponses(
  server: FastifyInstance,
  backpressure: ResponseBackpressure,
  compression: Compression | undefined,
): void {
  server.addHook("onSend", (request, reply, payload, done) => {
    const bytes = byteLength(payload);
    if (bytes === undefined) {
      // A stream buffers at most one chunk.
      backpressure.track(reply.raw, payload === null || payload === undefined ? 0 : CHUNK_BYTES);
      return done();
    }
    backpressure.track(reply.raw, bytes);
    if (request.method === "HEAD") {
      reply.header("content-length", bytes);
      return done(null, null);
    }
    const encoding = compression?.encodingOf(request, reply, bytes);
    if (encoding === undefined && bytes <= CHUNK_BYTES && !(payload instanceof ChunkedBody)) return done();
    const parts =
      payload instanceof ChunkedBody
        ? payload.parts
        : [typeof payload === "string" ? Buffer.from(payload) : (payload as Uint8Array)];
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
