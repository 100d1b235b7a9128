import { type Handshake, MAX_HANDSHAKE_LENGTH, readHandshake } from "./handshake.ts";

/** Decodes a handshake from chunks of any size. Page 04 §5.2. */
export class HandshakeDecoder {
  readonly #bytes = new Uint8Array(MAX_HANDSHAKE_LENGTH);
  #length = 0;

  /**
   * Call this until it returns a handshake.
   * @returns undefined while bytes are missing; `rest`: the bytes after the handshake, a view of `bytes`
   * @throws WireError
   */
  take(bytes: Uint8Array): { readonly handshake: Handshake; readonly rest: Uint8Array } | undefined {
    const before = this.#length;
    // Bytes beyond the maximum cannot be part of the handshake.
    const count = Math.min(bytes.length, MAX_HANDSHAKE_LENGTH - before);
    this.#bytes.set(bytes.subarray(0, count), before);
    this.#length += count;
    const read = readHandshake(this.#bytes.subarray(0, this.#length));
    return read === undefined
      ? undefined
      : { handshake: read.handshake, rest: bytes.subarray(read.length - before) };
  }
}
