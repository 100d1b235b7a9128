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
import type { Contents, Message, MessageType, ReceivedContents, ReceivedMessage } from "./messages.ts";
import { invalidMessage, type WireError } from "./wire-error.ts";

interface MessageDefinition<T extends MessageType = MessageType> {
  readonly type: T;
  /** Page 04 §7. */
  readonly code: number;
  /** Maximum payload, bytes. A longer payload is refused before it has arrived. Page 04 §7, §8.2, §25.6. */
  readonly limit: number;
  /** @throws RangeError if peers would refuse the payload (page 04 §26, rule 8) */
  readonly encode: (message: Message<T>) => Uint8Array;
  /**
   * @param payload at most `limit` bytes; the message contains views of them
   * @throws WireError, BlockParseError
   */
  readonly decode: (payload: Uint8Array) => ReceivedMessage<T>;
}

const MAX_IDS = 200;
const MAX_PEERS = 1_000;
const PEER_LENGTH = 8;
const MAX_SCORE_LENGTH = 64;
const MAX_CHECKPOINT_ITEMS = 10;
/** Ten items exceed the length limit of reference nodes. Page 04 §8.10. */
const MAX_SENT_CHECKPOINT_ITEMS = 9;
const CHECKPOINT_ITEM_LENGTH = 4 + BLOCK_ID_LENGTH;
const ANNOUNCEMENT_LENGTH = 32 + 3 * BLOCK_ID_LENGTH;
const MAX_IDS_LENGTH = 4 + MAX_IDS * BLOCK_ID_LENGTH;
const MAX_CHECKPOINT_LENGTH = 4 + MAX_CHECKPOINT_ITEMS * CHECKPOINT_ITEM_LENGTH + BLOCK_ID_LENGTH;
const KIB = 1_024;

const EMPTY = new Uint8Array(0);

function wrongLength(): WireError {
  return invalidMessage("requirement failed: Data does not match length");
}

/** Omits addresses that are not IPv4. Page 04 §8.2. */
function encodePeers({ addresses }: Contents["Peers"]): Uint8Array {
  const entries = addresses.flatMap(({ host, port }) => {
    const ip = ipBytes(host);
    return ip?.length === 4 ? { ip, port } : [];
  });
  if (entries.length > MAX_PEERS)
    throw new RangeError(`${entries.length} peers exceed the limit of ${MAX_PEERS} per message`);
  const writer = new ByteWriter(4 + PEER_LENGTH * entries.length).i32(entries.length);
  for (const { ip, port } of entries) writer.bytes(ip).i32(port);
  return writer.toBytes();
}

/** Returns no addresses for a malformed list, which honest nodes send too. Page 04 §8.2. */
function decodePeers(payload: Uint8Array): Contents["Peers"] {
  const addresses: PeerAddress[] = [];
  if (payload.length < 4) return { addresses };
  const reader = new ByteReader(payload);
  if (reader.i32() * PEER_LENGTH !== reader.remaining) return { addresses };
  while (reader.remaining > 0) {
    const host = ipText(reader.bytes(4));
    const port = reader.i32();
    if (port >= 0 && port <= MAX_PORT) addresses.push({ host, port });
  }
  return { addresses };
}

function encodeIds({ ids }: Contents["Signatures"]): Uint8Array {
  if (ids.length > MAX_IDS)
    throw new RangeError(`${ids.length} ids exceed the limit of ${MAX_IDS} per message`);
  const writer = new ByteWriter(4 + BLOCK_ID_LENGTH * ids.length).i32(ids.length);
  for (const id of ids) writer.bytes(id);
  return writer.toBytes();
}

/** Page 04 §8.3. */
function decodeIds(payload: Uint8Array): Contents["Signatures"] {
  if (payload.length < 4) throw invalidMessage(`array too small: ${payload.length} < 4`);
  const reader = new ByteReader(payload);
  const count = reader.i32();
  if (count > MAX_IDS) throw invalidMessage(`${count} ids exceed the limit of ${MAX_IDS}`);
  if (count * BLOCK_ID_LENGTH !== reader.remaining)
    throw invalidMessage("assertion failed: Data does not match length");
  return { ids: Array.from({ length: count }, () => reader.bytes(BLOCK_ID_LENGTH)) };
}

/** Page 04 §8.4, §8.8. */
function decodeId(id: Uint8Array): Contents["GetBlock"] {
  if (id.length !== BLOCK_ID_LENGTH) throw wrongLength();
  return { id };
}

/** Page 04 §8.6. */
function encodeScore({ score }: Contents["Score"]): Uint8Array {
  if (score < 0n) throw new RangeError(`Negative score ${score}`);
  const digits = score.toString(16);
  const even = digits.length % 2 === 0 ? digits : `0${digits}`;
  // A leading zero byte keeps the number positive.
  const bytes = decodeHex(/^[89a-f]/.test(even) ? `00${even}` : even);
  if (bytes.length > MAX_SCORE_LENGTH) throw new RangeError(`score of ${bytes.length} bytes`);
  return bytes;
}

/** Ignores bytes after the announcement. Page 04 §8.7. */
function decodeAnnouncement(payload: Uint8Array): Contents["MicroBlockInv"] {
  if (payload.length < ANNOUNCEMENT_LENGTH) throw wrongLength();
  return { announcement: parseAnnouncement(payload) };
}

function encodeCheckpoint({ checkpoint }: Contents["Checkpoint"]): Uint8Array {
  const count = checkpoint.items.length;
  if (count > MAX_SENT_CHECKPOINT_ITEMS)
    throw new RangeError(`${count} checkpoint items exceed the limit of ${MAX_SENT_CHECKPOINT_ITEMS}`);
  return checkpointBytes(checkpoint);
}

/** Page 04 §8.10. */
function decodeCheckpoint(payload: Uint8Array): Contents["Checkpoint"] {
  const count = payload.length < 4 ? 0 : new ByteReader(payload).i32();
  if (count < 0 || count > MAX_CHECKPOINT_ITEMS) throw invalidMessage("requirement failed");
  if (payload.length !== 4 + count * CHECKPOINT_ITEM_LENGTH + BLOCK_ID_LENGTH) throw wrongLength();
  return { checkpoint: parseCheckpoint(payload) };
}

function define<T extends MessageType>(
  type: T,
  code: number,
  limit: number,
  encode: (message: Message<T>) => Uint8Array,
  decode: (payload: Uint8Array) => ReceivedContents[T],
): MessageDefinition<T> {
  // TypeScript cannot relate the members of a union to a generic T.
  const decoded = (payload: Uint8Array) =>
    ({ type, ...(decode(payload) as object) }) as unknown as ReceivedMessage<T>;
  return { type, code, limit, encode, decode: decoded };
}

export const messageDefinitions: { readonly [T in MessageType]: MessageDefinition<T> } = {
  GetPeers: define(
    "GetPeers",
    1,
    0,
    () => EMPTY,
    () => ({}),
  ),
  Peers: define("Peers", 2, 64 * KIB, encodePeers, decodePeers),
  GetSignatures: define("GetSignatures", 20, MAX_IDS_LENGTH, encodeIds, decodeIds),
  Signatures: define("Signatures", 21, MAX_IDS_LENGTH, encodeIds, decodeIds),
  GetBlock: define("GetBlock", 22, BLOCK_ID_LENGTH, ({ id }) => id, decodeId),
  Block: define(
    "Block",
    23,
    2 * KIB * KIB,
    ({ bytes }) => bytes,
    (bytes) => ({ bytes, scan: scanBlock(bytes) }),
  ),
  Score: define("Score", 24, MAX_SCORE_LENGTH, encodeScore, (payload) => ({
    score: payload.length === 0 ? 0n : BigInt(`0x${encodeHex(payload)}`),
  })),
  Transaction: define(
    "Transaction",
    25,
    150 * KIB,
    ({ bytes }) => bytes,
    (bytes) => ({ bytes }),
  ),
  MicroBlockInv: define(
    "MicroBlockInv",
    26,
    300,
    ({ announcement }) => announcementBytes(announcement),
    decodeAnnouncement,
  ),
  MicroBlockRequest: define("MicroBlockRequest", 27, BLOCK_ID_LENGTH, ({ id }) => id, decodeId),
  MicroBlockResponse: define(
    "MicroBlockResponse",
    28,
    1.25 * KIB * KIB,
    ({ bytes }) => bytes,
    (bytes) => ({ bytes, scan: scanMicroBlock(bytes) }),
  ),
  Checkpoint: define("Checkpoint", 100, MAX_CHECKPOINT_LENGTH, encodeCheckpoint, decodeCheckpoint),
};

export type AnyDefinition = { readonly [T in MessageType]: MessageDefinition<T> }[MessageType];

const byCode = new Map<number, AnyDefinition>(
  Object.values(messageDefinitions).map((definition) => [definition.code, definition]),
);

/** @param code signed byte */
export function definitionByCode(code: number): AnyDefinition | undefined {
  return byCode.get(code);
}

/** @throws RangeError if peers would refuse the payload */
export function encodePayload<T extends MessageType>(message: Message<T>): Uint8Array {
  const definition: MessageDefinition<T> = messageDefinitions[message.type];
  return definition.encode(message);
}

/**
 * @param payload must not change: the message contains views of it
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
