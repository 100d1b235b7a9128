/** Waits for a handshake. */
import { type Handshake, MAX_HANDSHAKE_LENGTH, readHandshake } from "./handshake.ts";

/** Finds the handshake at the beginning of a stream, however its bytes arrive. Page 04 §5.2. */
export class HandshakeDecoder {
  readonly #bytes = new Uint8Array(MAX_HANDSHAKE_LENGTH);
  #length = 0;

  /**
   * Takes the bytes that arrived next.
   * @returns undefined as long as bytes are missing; `rest`: what lies behind the handshake, a view of `bytes`
   * @throws WireError; nothing may be handed in afterwards, nor behind a handshake
   */
  take(bytes: Uint8Array): { readonly handshake: Handshake; readonly rest: Uint8Array } | undefined {
    const before = this.#length;
    // No handshake is longer than what is kept.
    const count = Math.min(bytes.length, MAX_HANDSHAKE_LENGTH - before);
    this.#bytes.set(bytes.subarray(0, count), before);
    this.#length += count;
    const read = readHandshake(this.#bytes.subarray(0, this.#length));
    return read === undefined
      ? undefined
      : { handshake: read.handshake, rest: bytes.subarray(read.length - before) };
  }
}
