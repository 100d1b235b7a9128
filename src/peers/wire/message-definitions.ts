/** What each message is in bytes, once: its code, how long it may be, and how its payload is written and read. */
import { announcementBytes, parseAnnouncement } from "../../blocks/announcement.ts";
import { BLOCK_ID_LENGTH, scanBlock } from "../../blocks/block.ts";
import { checkpointBytes, parseCheckpoint } from "../../blocks/checkpoint.ts";
import { BlockParseError } from "../../blocks/errors.ts";
import { scanMicroBlock } from "../../blocks/micro-block.ts";
import { decodeHex, encodeHex } from "../../bytes/hex.ts";
import { ipBytes, ipText } from "../../bytes/ip.ts";
import { ByteReader } from "../../bytes/reader.ts";
import { ByteWriter } from "../../bytes/writer.ts";
import { MAX_PORT, type PeerAddress } from "../peer-address.ts";
import type { Message, MessageType, ReceivedMessage } from "./messages.ts";
import { invalidMessage } from "./wire-error.ts";

/** A kind of message. */
interface MessageDefinition<T extends MessageType = MessageType> {
  readonly type: T;
  /** Page 04 §7. */
  readonly code: number;
  /**
   * The most bytes of payload that are taken: those of page 04 §7, but where §8.2 and §25.6 have another one. A longer
   * one is refused before it has arrived.
   */
  readonly limit: number;
  /** The payload. @throws RangeError when peers would refuse it (page 04 §26, rule 8) */
  encode(message: Message<T>): Uint8Array;
  /**
   * Reads a payload of at most `limit` bytes, and keeps views of it.
   * @throws WireError, BlockParseError
   */
  decode(payload: Uint8Array): ReceivedMessage<T>;
}

const MAX_IDS = 200;
const MAX_PEERS = 1_000;
const PEER_LENGTH = 8;
const MAX_SCORE_LENGTH = 64;
const MAX_CHECKPOINT_ITEMS = 10;
const MAX_SENT_CHECKPOINT_ITEMS = 9;
const CHECKPOINT_ITEM_LENGTH = 4 + BLOCK_ID_LENGTH;
const ANNOUNCEMENT_LENGTH = 32 + 3 * BLOCK_ID_LENGTH;
const KIB = 1_024;

const EMPTY = new Uint8Array(0);

const getPeers: MessageDefinition<"GetPeers"> = {
  type: "GetPeers",
  code: 1,
  limit: 0,
  encode: () => EMPTY,
  decode: () => ({ type: "GetPeers" }),
};

/** Page 04 §8.2. */
const peers: MessageDefinition<"Peers"> = {
  type: "Peers",
  code: 2,
  limit: 64 * KIB,
  encode({ addresses }) {
    const entries = addresses.flatMap(({ host, port }) => {
      const ip = ipBytes(host);
      return ip?.length === 4 ? { ip, port } : [];
    });
    if (entries.length > MAX_PEERS) throw new RangeError(`${entries.length} peers in one message`);
    const writer = new ByteWriter(4 + PEER_LENGTH * entries.length).i32(entries.length);
    for (const { ip, port } of entries) writer.bytes(ip).i32(port);
    return writer.toBytes();
  },
  /** Honest nodes send lists that their own kind cannot read: what does not parse is passed over, nobody is banned. */
  decode(payload) {
    const addresses: PeerAddress[] = [];
    if (payload.length < 4) return { type: "Peers", addresses };
    const reader = new ByteReader(payload);
    // Entries of another size cannot be told from those that follow them.
    if (reader.i32() * PEER_LENGTH !== reader.remaining) return { type: "Peers", addresses };
    while (reader.remaining > 0) {
      const host = ipText(reader.bytes(4));
      const port = reader.i32();
      if (port >= 0 && port <= MAX_PORT) addresses.push({ host, port });
    }
    return { type: "Peers", addresses };
  },
};

function encodeIds(ids: readonly Uint8Array[]): Uint8Array {
  if (ids.length > MAX_IDS) throw new RangeError(`${ids.length} ids in one message`);
  const writer = new ByteWriter(4 + BLOCK_ID_LENGTH * ids.length).i32(ids.length);
  for (const id of ids) writer.bytes(id);
  return writer.toBytes();
}

/** Page 04 §8.3. */
function decodeIds(payload: Uint8Array): Uint8Array[] {
  if (payload.length < 4) throw invalidMessage(`array too small: ${payload.length} < 4`);
  const reader = new ByteReader(payload);
  const count = reader.i32();
  if (count > MAX_IDS) throw invalidMessage(`${count} ids, of ${MAX_IDS} at most`);
  if (count * BLOCK_ID_LENGTH !== reader.remaining)
    throw invalidMessage("assertion failed: Data does not match length");
  return Array.from({ length: count }, () => reader.bytes(BLOCK_ID_LENGTH));
}

const getSignatures: MessageDefinition<"GetSignatures"> = {
  type: "GetSignatures",
  code: 20,
  limit: 4 + MAX_IDS * BLOCK_ID_LENGTH,
  encode: ({ ids }) => encodeIds(ids),
  decode: (payload) => ({ type: "GetSignatures", ids: decodeIds(payload) }),
};

const signatures: MessageDefinition<"Signatures"> = {
  type: "Signatures",
  code: 21,
  limit: 4 + MAX_IDS * BLOCK_ID_LENGTH,
  encode: ({ ids }) => encodeIds(ids),
  decode: (payload) => ({ type: "Signatures", ids: decodeIds(payload) }),
};

/** Page 04 §8.4, §8.8. */
function decodeId(payload: Uint8Array): Uint8Array {
  if (payload.length !== BLOCK_ID_LENGTH)
    throw invalidMessage("requirement failed: Data does not match length");
  return payload;
}

const getBlock: MessageDefinition<"GetBlock"> = {
  type: "GetBlock",
  code: 22,
  limit: BLOCK_ID_LENGTH,
  encode: ({ id }) => id,
  decode: (payload) => ({ type: "GetBlock", id: decodeId(payload) }),
};

const block: MessageDefinition<"Block"> = {
  type: "Block",
  code: 23,
  limit: 2 * KIB * KIB,
  encode: ({ bytes }) => bytes,
  decode: (bytes) => ({ type: "Block", bytes, scan: scanBlock(bytes) }),
};

/** Page 04 §8.6. */
const score: MessageDefinition<"Score"> = {
  type: "Score",
  code: 24,
  limit: MAX_SCORE_LENGTH,
  encode({ score }) {
    if (score < 0n) throw new RangeError(`score ${score}`);
    const digits = score.toString(16);
    const even = digits.length % 2 === 0 ? digits : `0${digits}`;
    // Those who read it as a signed number must not take it for a negative one.
    const bytes = decodeHex(/^[89a-f]/.test(even) ? `00${even}` : even);
    if (bytes.length > MAX_SCORE_LENGTH) throw new RangeError(`score of ${bytes.length} bytes`);
    return bytes;
  },
  decode: (payload) => ({
    type: "Score",
    score: payload.length === 0 ? 0n : BigInt(`0x${encodeHex(payload)}`),
  }),
};

const transaction: MessageDefinition<"Transaction"> = {
  type: "Transaction",
  code: 25,
  limit: 150 * KIB,
  encode: ({ bytes }) => bytes,
  decode: (bytes) => ({ type: "Transaction", bytes }),
};

/** Page 04 §8.7. What lies behind the announcement is ignored, and not sent on. */
const microBlockInv: MessageDefinition<"MicroBlockInv"> = {
  type: "MicroBlockInv",
  code: 26,
  limit: 300,
  encode: ({ announcement }) => announcementBytes(announcement),
  decode(payload) {
    if (payload.length < ANNOUNCEMENT_LENGTH)
      throw invalidMessage("requirement failed: Data does not match length");
    return { type: "MicroBlockInv", announcement: parseAnnouncement(payload) };
  },
};

const microBlockRequest: MessageDefinition<"MicroBlockRequest"> = {
  type: "MicroBlockRequest",
  code: 27,
  limit: BLOCK_ID_LENGTH,
  encode: ({ id }) => id,
  decode: (payload) => ({ type: "MicroBlockRequest", id: decodeId(payload) }),
};

const microBlockResponse: MessageDefinition<"MicroBlockResponse"> = {
  type: "MicroBlockResponse",
  code: 28,
  limit: 1.25 * KIB * KIB,
  encode: ({ bytes }) => bytes,
  decode: (bytes) => ({ type: "MicroBlockResponse", bytes, scan: scanMicroBlock(bytes) }),
};

/** Page 04 §8.10. */
const checkpoint: MessageDefinition<"Checkpoint"> = {
  type: "Checkpoint",
  code: 100,
  limit: 4 + MAX_CHECKPOINT_ITEMS * CHECKPOINT_ITEM_LENGTH + BLOCK_ID_LENGTH,
  encode({ checkpoint }) {
    const count = checkpoint.items.length;
    if (count > MAX_SENT_CHECKPOINT_ITEMS) throw new RangeError(`${count} checkpoint items in one message`);
    return checkpointBytes(checkpoint);
  },
  decode(payload) {
    const count = payload.length < 4 ? 0 : new ByteReader(payload).i32();
    if (count < 0 || count > MAX_CHECKPOINT_ITEMS) throw invalidMessage("requirement failed");
    if (payload.length !== 4 + count * CHECKPOINT_ITEM_LENGTH + BLOCK_ID_LENGTH)
      throw invalidMessage("requirement failed: Data does not match length");
    return { type: "Checkpoint", checkpoint: parseCheckpoint(payload) };
  },
};

/** All messages, by name. */
export const messageDefinitions: { readonly [T in MessageType]: MessageDefinition<T> } = {
  GetPeers: getPeers,
  Peers: peers,
  GetSignatures: getSignatures,
  Signatures: signatures,
  GetBlock: getBlock,
  Block: block,
  Score: score,
  Transaction: transaction,
  MicroBlockInv: microBlockInv,
  MicroBlockRequest: microBlockRequest,
  MicroBlockResponse: microBlockResponse,
  Checkpoint: checkpoint,
};

/** What is known of a message by its code alone. */
export type AnyDefinition = { readonly [T in MessageType]: MessageDefinition<T> }[MessageType];

const byCode = new Map<number, AnyDefinition>(
  Object.values(messageDefinitions).map((definition) => [definition.code, definition]),
);

/** The message with a code (a signed byte), if there is one. */
export function definitionByCode(code: number): AnyDefinition | undefined {
  return byCode.get(code);
}

/** The payload of a message. @throws RangeError when peers would refuse it */
export function encodePayload<T extends MessageType>(message: Message<T>): Uint8Array {
  const definition: MessageDefinition<T> = messageDefinitions[message.type];
  return definition.encode(message);
}

/**
 * The message of a payload, which belongs to it from now on.
 * @throws WireError with the reason for the blacklist
 */
export function decodePayload(definition: AnyDefinition, payload: Uint8Array): ReceivedMessage {
  try {
    return definition.decode(payload);
  } catch (error) {
    if (error instanceof BlockParseError) throw invalidMessage(error.message);
    throw error;
  }
}
