import { concatBytes } from "../../bytes/compare.ts";
import { readSized, readVarint, valueCodec, writeSized, writeVarint } from "../codecs.ts";
import type { ValueCodec } from "../kv.ts";
import type { UnitKey } from "../places.ts";
import { rest, sized, structValue, u8, u16, u32, varint } from "./fields.ts";

/** The best block; whether it is liquid say the ledger's heights. */
export interface Tip extends UnitKey {
  /** Number of the newest micro block at this height, 0 when the key block stands alone. */
  readonly sequence: number;
  /** Id of the block with all its micro blocks. */
  readonly id: Uint8Array;
}

/** The header of a block, with the figures that are asked for together with it. Page 03 §2. */
export interface HeaderRow {
  readonly version: number;
  readonly timestamp: bigint;
  readonly reference: Uint8Array;
  readonly baseTarget: bigint;
  readonly generationSignature: Uint8Array;
  readonly features: readonly number[];
  readonly feeVote: number;
  /** Public key, 32 bytes. */
  readonly generator: Uint8Array;
  /** Signature of the block as it stands, that is the id; of a block with micro blocks the newest total's. */
  readonly signature: Uint8Array;
  /** Signature of the key block alone. */
  readonly baseSignature: Uint8Array;
  /** Length of the whole block in bytes. */
  readonly size: number;
  readonly transactionCount: number;
}

export interface MicroBlockRow {
  readonly version: number;
  /** Id of the total before this micro block. */
  readonly reference: Uint8Array;
  /** Signature of the total, its id. */
  readonly totalSignature: Uint8Array;
  /** The sender's signature of the micro block itself. */
  readonly signature: Uint8Array;
  /** Local clock at arrival, milliseconds. Page 05 §23.3. */
  readonly arrivedAt: number;
  /** Position of its first transaction in the whole block. */
  readonly firstPosition: number;
  readonly transactionCount: number;
}

/** Transactions one behind the other, as they are in a block but without count and length fields. */
export interface Body {
  /** Length of each transaction in bytes. */
  readonly lengths: readonly number[];
  readonly bytes: Uint8Array;
}

/** height u32, sequence u16, id. */
export const tipValue = structValue<Tip>({ height: u32, sequence: u16, id: rest });

/**
 * version u8, timestamp i64, base target i64, fee vote i8, generator(32), sized: reference, generation
 * signature, signature, base signature (empty when equal); varints: size, transactions, features; u16 each.
 */
export const headerValue: ValueCodec<HeaderRow> = valueCodec(
  (writer, header) => {
    writer.u8(header.version).i64(header.timestamp).i64(header.baseTarget).i8(header.feeVote);
    writer.bytes(header.generator);
    writeSized(writer, header.reference);
    writeSized(writer, header.generationSignature);
    writeSized(writer, header.signature);
    const alone = Buffer.compare(header.signature, header.baseSignature) === 0;
    writeSized(writer, alone ? new Uint8Array(0) : header.baseSignature);
    writeVarint(writer, header.size);
    writeVarint(writer, header.transactionCount);
    writeVarint(writer, header.features.length);
    for (const feature of header.features) writer.u16(feature);
  },
  (reader) => {
    const version = reader.u8();
    const timestamp = reader.i64();
    const baseTarget = reader.i64();
    const feeVote = reader.i8();
    const generator = reader.bytes(32).slice();
    const reference = readSized(reader);
    const generationSignature = readSized(reader);
    const signature = readSized(reader);
    const base = readSized(reader);
    const size = readVarint(reader);
    const transactionCount = readVarint(reader);
    const features: number[] = new Array(readVarint(reader));
    // As on the wire: feature ids are signed 16-bit integers there.
    for (let i = 0; i < features.length; i++) features[i] = reader.i16();
    return {
      version,
      timestamp,
      baseTarget,
      feeVote,
      generator,
      reference,
      generationSignature,
      signature,
      baseSignature: base.length === 0 ? signature : base,
      size,
      transactionCount,
      features,
    };
  },
);

/** version u8, varints: arrival in ms, first position, count; sized: reference, total, signature. */
export const microBlockValue = structValue<MicroBlockRow>({
  version: u8,
  arrivedAt: varint,
  firstPosition: varint,
  transactionCount: varint,
  reference: sized,
  totalSignature: sized,
  signature: sized,
});

/** varint count, varint length of each, then the bytes. */
export const bodyValue: ValueCodec<Body> = valueCodec(
  (writer, body) => {
    writeVarint(writer, body.lengths.length);
    for (const length of body.lengths) writeVarint(writer, length);
    writer.bytes(body.bytes);
  },
  (reader) => {
    const lengths: number[] = new Array(readVarint(reader));
    for (let i = 0; i < lengths.length; i++) lengths[i] = readVarint(reader);
    return { lengths, bytes: reader.rest() };
  },
);

/** A body from the bytes of its transactions. */
export function bodyOf(transactions: readonly Uint8Array[]): Body {
  return { lengths: transactions.map((bytes) => bytes.length), bytes: concatBytes(...transactions) };
}

/** The bytes of each transaction of a body, in order, as views. */
export function transactionsOf(body: Body): Uint8Array[] {
  let at = 0;
  return body.lengths.map((length) => {
    const bytes = body.bytes.subarray(at, at + length);
    at += length;
    return bytes;
  });
}

/** The bytes of one transaction of a body, as a view; undefined beyond its end. */
export function transactionOf({ lengths, bytes }: Body, index: number): Uint8Array | undefined {
  const length = lengths[index];
  if (length === undefined) return undefined;
  let at = 0;
  for (let i = 0; i < index; i++) at += lengths[i];
  return bytes.subarray(at, at + length);
}
