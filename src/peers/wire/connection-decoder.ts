/** What a peer says on a connection, from the first byte on. Page 04 §9, steps 3 to 6. */
import { bytesKey } from "../../bytes/compare.ts";
import type { Clock } from "../../interfaces.ts";
import { ExpiringMap } from "../../runtime/expiring-map.ts";
import { type Frame, FrameDecoder } from "./frame.ts";
import type { Handshake } from "./handshake.ts";
import { HandshakeDecoder } from "./handshake-decoder.ts";
import { decodePayload } from "./message-definitions.ts";
import type { ReceivedMessage } from "./messages.ts";

/** A handshake, then messages. */
export type Received = { readonly type: "Handshake"; readonly handshake: Handshake } | ReceivedMessage;

/** Transactions that a connection is remembered for. Those that it forgets cost a look-up more. */
const MAX_REMEMBERED = 10_000;

/**
 * Finds what a peer says, in the order in which it came: one at a time, so that a handshake is judged before the frames
 * behind it are looked at. A transaction that came on this connection shortly before is left out (page 04 §6.2, step 6).
 */
export class ConnectionDecoder {
  #handshake: HandshakeDecoder | undefined = new HandshakeDecoder();
  readonly #frames = new FrameDecoder();
  readonly #transactions: ExpiringMap<true>;
  #ended = false;

  /** @param rememberMs how long transactions are remembered, `received-txs-cache-timeout` of page 04 §23.1 */
  constructor(clock: Clock, rememberMs: number) {
    this.#transactions = new ExpiringMap(clock, rememberMs, MAX_REMEMBERED);
  }

  /** Bytes that are kept, of a frame that is not whole yet. */
  get held(): number {
    return this.#frames.held;
  }

  /** Messages that were looked at so far, and what is none: those left out, and frames without any. */
  get messageCount(): number {
    return this.#frames.messageCount;
  }

  /**
   * What is whole with these bytes, each when it is asked for. Whoever stops asking before the end is done with the
   * connection; at the first error it is done, too, and nothing comes out any more.
   * @param bytes what arrived; they are read until the end, and not kept
   * @throws WireError
   */
  *decode(bytes: Uint8Array): Generator<Received> {
    if (this.#ended) return;
    this.#ended = true;
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
      if (this.#isRepeated(frame)) continue;
      yield decodePayload(frame.definition, frame.payload);
    }
    this.#ended = false;
  }

  /** Remembers a transaction. A repetition does not renew its time. */
  #isRepeated({ definition, digest }: Frame): boolean {
    if (definition.type !== "Transaction" || digest === undefined) return false;
    const key = bytesKey(digest);
    if (this.#transactions.has(key)) return true;
    this.#transactions.set(key, true);
    return false;
  }
}
