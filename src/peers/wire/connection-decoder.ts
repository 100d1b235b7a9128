/** Decodes a connection: a handshake, then messages. Page 04 §9, steps 3 to 6. */
import { bytesKey } from "../../bytes/compare.ts";
import type { Clock } from "../../interfaces.ts";
import { ExpiringMap } from "../../runtime/expiring-map.ts";
import { type Frame, FrameDecoder, frameLength } from "./frame.ts";
import type { Handshake } from "./handshake.ts";
import { HandshakeDecoder } from "./handshake-decoder.ts";
import { decodePayload } from "./message-definitions.ts";
import type { MessageType, ReceivedMessage } from "./messages.ts";

export type Received = { readonly type: "Handshake"; readonly handshake: Handshake } | ReceivedMessage;

/** Maximum remembered transactions. Forgetting one only costs a lookup. */
const MAX_REMEMBERED = 10_000;

/** Drops transactions that the peer recently sent on this connection (page 04 §6.2, step 6). */
export class ConnectionDecoder {
  #handshake: HandshakeDecoder | undefined = new HandshakeDecoder();
  readonly #frames = new FrameDecoder();
  readonly #transactions: ExpiringMap<true>;
  readonly #onFrame: (type: MessageType, length: number) => void;
  #hasEnded = false;

  /** @param rememberMs `received-txs-cache-timeout` of page 04 §23.1 */
  constructor(
    clock: Clock,
    rememberMs: number,
    onFrame: (type: MessageType, length: number) => void = () => {},
  ) {
    this.#onFrame = onFrame;
    this.#transactions = new ExpiringMap(clock, rememberMs, MAX_REMEMBERED);
  }

  get heldBytes(): number {
    return this.#frames.heldBytes;
  }

  get messageCount(): number {
    return this.#frames.messageCount;
  }

  /**
   * Yields complete messages on demand. After an error or an early stop, later calls yield nothing.
   * @param bytes must not change until the generator ends
   * @throws WireError
   */
  *decode(bytes: Uint8Array): Generator<Received> {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    let rest = bytes;
    if (this.#handshake !== undefined) {
      const found = this.#handshake.take(bytes);
      if (found !== undefined) {
        this.#handshake = undefined;
        yield { type: "Handshake", handshake: found.handshake };
      }
      rest = found?.rest ?? bytes.subarray(bytes.length);
    }
    for (const frame of this.#frames.decode(rest)) {
      this.#onFrame(frame.definition.type, frameLength(frame.payload.length));
      if (this.#isRepeated(frame)) continue;
      yield decodePayload(frame.definition, frame.payload);
    }
    this.#hasEnded = false;
  }

  /** A repeated transaction is not remembered for longer. */
  #isRepeated({ definition, digest }: Frame): boolean {
    if (definition.type !== "Transaction" || digest === undefined) return false;
    const key = bytesKey(digest);
    if (this.#transactions.has(key)) return true;
    this.#transactions.set(key, true);
    return false;
  }
}
