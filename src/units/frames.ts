/**
 * The bytes of a stream of units. Each frame is a length (u32), a kind (u8) and the fields of this kind. Numbers are
 * big-endian. A reader refuses kinds that it does not know: a new kind needs a new version of the stream.
 */
import { DecodeError } from "../bytes/errors.ts";
import { FrameSplitter, LENGTH_BYTES } from "../bytes/frame-splitter.ts";
import { ByteReader } from "../bytes/reader.ts";
import { decodeUtf8, encodeUtf8 } from "../bytes/utf8.ts";
import { ByteWriter } from "../bytes/writer.ts";
import type { ChainCursor, SourceDescription, UnitFrame, UnitRecord } from "../interfaces.ts";
import { descriptionJson, parseDescription } from "./description.ts";
import { UnitSourceError } from "./source-error.ts";

/** Bytes of a frame without its length. Page 04 §25.6. */
export const MAX_FRAME_BYTES: number = 4 * 2 ** 20;
const MAX_DESCRIPTION_BYTES = 256 * 1024;
const MAX_ID_BYTES = 64;
const DIGEST_BYTES = 32;
const MAX_SCORE_BYTES = 64;

const frameCodes = { source: 1, unit: 2, undo: 3, tip: 4, heartbeat: 5 } as const;
const unitKinds = ["block", "micro", "persist"] as const;
const IS_PARENT_PERSISTED = 4;
const HAS_DIGEST = 8;

function writeId(writer: ByteWriter, id: Uint8Array): void {
  writer.u8(id.length).bytes(id);
}

function readId(reader: ByteReader): Uint8Array {
  const length = reader.u8();
  if (length > MAX_ID_BYTES) throw new DecodeError(`id of ${length} bytes`);
  return reader.bytes(length);
}

function writeCursor(writer: ByteWriter, { height, sequence, id }: ChainCursor): void {
  writer.u32(height).u16(sequence);
  writeId(writer, id);
}

function readCursor(reader: ByteReader): ChainCursor {
  return { height: reader.u32(), sequence: reader.u16(), id: readId(reader) };
}

function writeRecord(writer: ByteWriter, record: UnitRecord): void {
  const { kind, digest } = record;
  const flags =
    unitKinds.indexOf(kind) |
    (record.isParentPersisted ? IS_PARENT_PERSISTED : 0) |
    (digest === undefined ? 0 : HAS_DIGEST);
  writer.u8(flags);
  writeCursor(writer, record);
  writeId(writer, record.parent);
  writer.i64(BigInt(record.arrivedAt));
  if (digest !== undefined) writer.bytes(digest);
  writer.bytes(record.bytes);
}

function readRecord(reader: ByteReader): UnitRecord {
  const flags = reader.u8();
  const kind = unitKinds.at(flags & 3);
  if (kind === undefined || flags > 15) throw new DecodeError(`unknown kind of unit ${flags}`);
  const cursor = readCursor(reader);
  const parent = readId(reader);
  const arrivedAt = Number(reader.i64());
  if (!Number.isSafeInteger(arrivedAt)) throw new DecodeError(`arrival at ${arrivedAt}`);
  const digest = (flags & HAS_DIGEST) === 0 ? undefined : reader.bytes(DIGEST_BYTES);
  return {
    kind,
    ...cursor,
    parent,
    arrivedAt,
    isParentPersisted: (flags & IS_PARENT_PERSISTED) !== 0,
    digest,
    bytes: reader.rest(),
  };
}

function writeScore(writer: ByteWriter, score: bigint): void {
  const digits = score.toString(16);
  const hex = digits.length % 2 === 0 ? digits : `0${digits}`;
  writer.u8(hex.length / 2);
  for (let i = 0; i < hex.length; i += 2) writer.u8(Number.parseInt(hex.slice(i, i + 2), 16));
}

function readScore(reader: ByteReader): bigint {
  const length = reader.u8();
  if (length === 0 || length > MAX_SCORE_BYTES) throw new DecodeError(`score of ${length} bytes`);
  let score = 0n;
  for (const byte of reader.bytes(length)) score = (score << 8n) | BigInt(byte);
  return score;
}

/** @throws UnitSourceError `other version`; DecodeError */
function readDescription(bytes: Uint8Array, sourceName: string): SourceDescription {
  if (bytes.length > MAX_DESCRIPTION_BYTES)
    throw new DecodeError(`description of ${bytes.length} bytes exceeds ${MAX_DESCRIPTION_BYTES}`);
  let parsed: unknown;
  try {
    parsed = JSON.parse(decodeUtf8(bytes));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new DecodeError("the description is not JSON");
  }
  return parseDescription(parsed, sourceName);
}

function writeBody(writer: ByteWriter, frame: UnitFrame): void {
  switch (frame.kind) {
    case "source":
      writer.bytes(encodeUtf8(JSON.stringify(descriptionJson(frame.description))));
      break;
    case "unit":
      writeRecord(writer, frame.record);
      break;
    case "undo":
      writeCursor(writer, frame.to);
      break;
    case "tip":
      writeCursor(writer, frame.cursor);
      writeScore(writer, frame.score);
      writer.u32(frame.persistedHeight);
      break;
    case "heartbeat":
      break;
  }
}

/** @throws RangeError if the frame exceeds `MAX_FRAME_BYTES` */
export function encodeFrame(frame: UnitFrame): Uint8Array {
  const writer = new ByteWriter().u32(0).u8(frameCodes[frame.kind]);
  writeBody(writer, frame);
  const bytes = writer.toBytes();
  const length = bytes.length - LENGTH_BYTES;
  if (length > MAX_FRAME_BYTES) throw new RangeError(`Frame of ${length} bytes exceeds ${MAX_FRAME_BYTES}`);
  new DataView(bytes.buffer).setUint32(0, length);
  return bytes;
}

function readBody(reader: ByteReader, sourceName: string): UnitFrame {
  const code = reader.u8();
  switch (code) {
    case frameCodes.source:
      return { kind: "source", description: readDescription(reader.rest(), sourceName) };
    case frameCodes.unit:
      return { kind: "unit", record: readRecord(reader) };
    case frameCodes.undo:
      return { kind: "undo", to: readCursor(reader) };
    case frameCodes.tip:
      return {
        kind: "tip",
        cursor: readCursor(reader),
        score: readScore(reader),
        persistedHeight: reader.u32(),
      };
    case frameCodes.heartbeat:
      return { kind: "heartbeat" };
    default:
      throw new DecodeError(`unknown kind of frame ${code}`);
  }
}

function malformed(sourceName: string, reason: string): UnitSourceError {
  return new UnitSourceError(
    "malformed",
    `The source ${sourceName} does not send a valid stream of units: ${reason}`,
  );
}

/**
 * @param bytes a frame without its length
 * @throws UnitSourceError `malformed` or `other version`
 */
export function decodeFrame(bytes: Uint8Array, sourceName: string): UnitFrame {
  const reader = new ByteReader(bytes);
  try {
    const frame = readBody(reader, sourceName);
    if (reader.remaining > 0) throw new DecodeError(`${reader.remaining} bytes after a frame`);
    return frame;
  } catch (error) {
    if (error instanceof DecodeError) throw malformed(sourceName, error.message);
    throw error;
  }
}

export class FrameDecoder {
  readonly #sourceName: string;
  readonly #splitter: FrameSplitter;

  constructor(sourceName: string) {
    this.#sourceName = sourceName;
    this.#splitter = new FrameSplitter((length) => {
      if (length > MAX_FRAME_BYTES)
        throw malformed(sourceName, `frame of ${length} bytes exceeds ${MAX_FRAME_BYTES}`);
    });
  }

  get heldBytes(): number {
    return this.#splitter.heldBytes;
  }

  /**
   * Yields complete frames, which are not views of `bytes`.
   * @throws UnitSourceError `malformed` or `other version`
   */
  *decode(bytes: Uint8Array): Generator<UnitFrame> {
    for (const frame of this.#splitter.split(bytes))
      yield decodeFrame(new Uint8Array(frame), this.#sourceName);
  }
}
