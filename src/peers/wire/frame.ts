/** Page 04 §6. */
import { bytesEqual } from "../../bytes/compare.ts";
import { DecodeError } from "../../bytes/errors.ts";
import { FrameSplitter, LENGTH_BYTES } from "../../bytes/frame-splitter.ts";
import { ByteReader } from "../../bytes/reader.ts";
import { fastHash } from "../../crypto/hashes.ts";
import {
  type AnyDefinition,
  definitionByCode,
  encodePayload,
  messageDefinitions,
} from "./message-definitions.ts";
import type { Message, MessageType } from "./messages.ts";
import { malformed, WireError } from "./wire-error.ts";

const MAGIC = 0x12345678;
/** Magic, code, payload length. */
const HEADER_LENGTH = 9;
const CHECKSUM_LENGTH = 4;

/** Maximum bytes of an outer frame after its length field. Page 04 §25.6. */
export const MAX_OUTER_LENGTH = 2 * 1_024 * 1_024;
/** Maximum messages per outer frame. Nodes send one. */
const MAX_MESSAGES = 1_000;

export interface Frame {
  readonly definition: AnyDefinition;
  /** A copy, not a view of received bytes. */
  readonly payload: Uint8Array;
  /** `fastHash` of the payload; the hash starts with the checksum. Undefined for an empty payload. */
  readonly digest: Uint8Array | undefined;
}

/** Length of an outer frame with one message, bytes. */
export function frameLength(payloadLength: number): number {
  return LENGTH_BYTES + HEADER_LENGTH + (payloadLength === 0 ? 0 : CHECKSUM_LENGTH) + payloadLength;
}

/** Page 04 §6.2, §26, rule 4. @throws RangeError as `encodePayload` */
export function encodeFrame<T extends MessageType>(message: Message<T>): Uint8Array {
  const payload = encodePayload(message);
  const frame = new Uint8Array(frameLength(payload.length));
  const view = new DataView(frame.buffer);
  view.setUint32(0, frame.length - LENGTH_BYTES);
  view.setUint32(LENGTH_BYTES, MAGIC);
  view.setInt8(8, messageDefinitions[message.type].code);
  view.setInt32(9, payload.length);
  if (payload.length > 0) {
    frame.set(fastHash(payload).subarray(0, CHECKSUM_LENGTH), 13);
    frame.set(payload, 13 + CHECKSUM_LENGTH);
  }
  return frame;
}

function readInner(reader: ByteReader): Frame {
  if (reader.u32() !== MAGIC) throw malformed("invalid magic number");
  const code = reader.i8();
  const definition = definitionByCode(code);
  if (definition === undefined) throw malformed(`Unexpected message code ${code}`);
  const length = reader.i32();
  if (length < 0) throw malformed(String(length), "NegativeArraySizeException");
  const { type, limit } = definition;
  if (length > limit) throw malformed(`${type} message length ${length} exceeds ${limit}`);
  if (length === 0) return { definition, payload: new Uint8Array(0), digest: undefined };
  const checksum = reader.bytes(CHECKSUM_LENGTH);
  const payload = reader.bytes(length).slice();
  const digest = fastHash(payload);
  if (!bytesEqual(digest.subarray(0, CHECKSUM_LENGTH), checksum)) throw malformed("invalid checksum");
  return { definition, payload, digest };
}

function* innerFrames(outer: Uint8Array): Generator<Frame> {
  const reader = new ByteReader(outer);
  for (let count = 1; reader.remaining > 0; count++) {
    if (count > MAX_MESSAGES) throw new WireError(`Network frame exceeds ${MAX_MESSAGES} messages`, "close");
    let frame: Frame;
    try {
      frame = readInner(reader);
    } catch (error) {
      if (error instanceof DecodeError) throw malformed(error.message, "IndexOutOfBoundsException");
      throw error;
    }
    yield frame;
  }
}

function checkOuterLength(length: number): void {
  if (length > MAX_OUTER_LENGTH)
    throw new WireError(`Network frame of ${length} bytes exceeds ${MAX_OUTER_LENGTH}`, "close");
}

export class FrameDecoder {
  readonly #splitter = new FrameSplitter(checkOuterLength);
  #messageCount = 0;
  #hasEnded = false;

  /** An empty outer frame counts as one message. */
  get messageCount(): number {
    return this.#messageCount;
  }

  /** Bytes of the incomplete frame, including its length: at most `MAX_OUTER_LENGTH` + 4. */
  get heldBytes(): number {
    return this.#splitter.heldBytes;
  }

  /**
   * Yields complete messages on demand.
   * @param bytes must not change until the generator ends
   * @throws WireError
   */
  *decode(bytes: Uint8Array): Generator<Frame> {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    for (const outer of this.#splitter.split(bytes)) {
      if (outer.length === 0) this.#messageCount++;
      for (const frame of innerFrames(outer)) {
        this.#messageCount++;
        yield frame;
      }
    }
    this.#hasEnded = false;
  }
}
