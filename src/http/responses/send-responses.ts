/** The last step of an answer: counted until it is taken, perhaps compressed, and handed to the socket in pieces. */
import type { FastifyInstance } from "fastify";
import { inPieces, type Outgoing, PIECE_BYTES } from "./backpressure.ts";
import type { Compression } from "./compression.ts";
import { Pieces } from "./reply.ts";

/** Lets a server hand its answers out so. */
export function handOut(
  server: FastifyInstance,
  outgoing: Outgoing,
  compression: Compression | undefined,
): void {
  server.addHook("onSend", (request, reply, payload, done) => {
    const isText = typeof payload === "string";
    if (!isText && !(payload instanceof Uint8Array) && !(payload instanceof Pieces)) {
      // A stream, of which no more than a piece is read ahead; or nothing.
      outgoing.hold(reply.raw, payload === null || payload === undefined ? 0 : PIECE_BYTES);
      return done();
    }
    const bytes = isText
      ? Buffer.byteLength(payload)
      : payload instanceof Pieces
        ? payload.bytes
        : payload.length;
    outgoing.hold(reply.raw, bytes);
    const encoding = compression?.encodingOf(request, reply, bytes);
    if (encoding === undefined && bytes <= PIECE_BYTES && !(payload instanceof Pieces)) return done();
    const parts = isText ? [Buffer.from(payload)] : payload instanceof Pieces ? payload.parts : [payload];
    if (compression !== undefined && encoding !== undefined) {
      compression.compress(encoding, parts, reply, done);
      return;
    }
    reply.header("content-length", bytes);
    done(null, inPieces(parts));
  });
  server.addHook("onClose", (_server, done) => {
    outgoing.close();
    done();
  });
}
