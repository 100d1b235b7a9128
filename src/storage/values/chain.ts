import { bytesEqual, concatBytes } from "../../bytes/compare.ts";
import { valueCodec } from "../codecs.ts";
import type { ValueCodec } from "../kv.ts";
import type { UnitKey } from "../places.ts";
import {
  countedList,
  fixedBytes,
  i8,
  i16,
  i64,
  rest,
  restView,
  sized,
  struct,
  structValue,
  u8,
  u16,
  u32,
  varint,
} from "./fields.ts";

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

const headerFields = struct<HeaderRow>({
  version: u8,
  timestamp: i64,
  baseTarget: i64,
  feeVote: i8,
  generator: fixedBytes(32),
  reference: sized,
  generationSignature: sized,
  signature: sized,
  baseSignature: sized,
  size: varint,
  transactionCount: varint,
  // As on the wire: feature ids are signed 16-bit integers there.
  features: countedList(i16),
});

/**
 * version u8, timestamp i64, base target i64, fee vote i8, generator(32), sized: reference, generation
 * signature, signature, base signature (empty when equal); varints: size, transactions, features; u16 each.
 */
export const headerValue: ValueCodec<HeaderRow> = valueCodec(
  (writer, header) => {
    const isSame = bytesEqual(header.signature, header.baseSignature);
    headerFields.write(writer, isSame ? { ...header, baseSignature: new Uint8Array(0) } : header);
  },
  (reader) => {
    const header = headerFields.read(reader);
    return header.baseSignature.length > 0 ? header : { ...header, baseSignature: header.signature };
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
export const bodyValue = structValue<Body>({ lengths: countedList(varint), bytes: restView });

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
