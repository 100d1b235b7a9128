import { bytesEqual } from "../../bytes/compare.ts";
import { ByteReader } from "../../bytes/reader.ts";
import { ByteWriter } from "../../bytes/writer.ts";
import { valueCodec } from "../codecs.ts";
import type { ValueCodec } from "../kv.ts";
import type { UnitKey } from "../places.ts";
import {
  countedList,
  fixedBytes,
  i8,
  i16,
  i64,
  lengthPrefixed,
  rest,
  struct,
  structValue,
  u8,
  u16,
  u32,
  varint,
} from "./fields.ts";

export interface Tip extends UnitKey {
  readonly sequence: number;
  readonly id: Uint8Array;
}

/** Page 03 §2. */
export interface HeaderRow {
  readonly version: number;
  readonly timestamp: bigint;
  readonly reference: Uint8Array;
  readonly baseTarget: bigint;
  readonly generationSignature: Uint8Array;
  readonly features: readonly number[];
  readonly feeVote: number;
  /** Public key. */
  readonly generator: Uint8Array;
  /** Signature of the newest total, also the block's id. */
  readonly signature: Uint8Array;
  /** Signature of the key block alone. */
  readonly baseSignature: Uint8Array;
  /** Bytes. */
  readonly size: number;
  readonly transactionCount: number;
}

export interface MicroBlockRow {
  readonly version: number;
  /** Block id before this micro block. */
  readonly reference: Uint8Array;
  /** Signature of the total, the block's id after this micro block. */
  readonly totalSignature: Uint8Array;
  readonly signature: Uint8Array;
  /** Local clock at arrival, ms. Page 05 §23.3. */
  readonly arrivedAt: number;
  readonly firstPosition: number;
  readonly transactionCount: number;
}

/** The transactions of a unit. */
export interface Body {
  readonly lengths: readonly number[];
  /** The transactions, concatenated. */
  readonly bytes: Uint8Array;
  /** The row's value: lengths and `bytes`, without another copy of them. */
  readonly encoded: Uint8Array;
}

export const tipValue = structValue<Tip>({ height: u32, sequence: u16, id: rest });

const headerFields = struct<HeaderRow>({
  version: u8,
  timestamp: i64,
  baseTarget: i64,
  feeVote: i8,
  generator: fixedBytes(32),
  reference: lengthPrefixed,
  generationSignature: lengthPrefixed,
  signature: lengthPrefixed,
  baseSignature: lengthPrefixed,
  size: varint,
  transactionCount: varint,
  features: countedList(i16),
});

/** Writes no `baseSignature` if it equals `signature`. */
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

export const microBlockValue = structValue<MicroBlockRow>({
  version: u8,
  arrivedAt: varint,
  firstPosition: varint,
  transactionCount: varint,
  reference: lengthPrefixed,
  totalSignature: lengthPrefixed,
  signature: lengthPrefixed,
});

const lengthList = countedList(varint);

export const bodyValue: ValueCodec<Body> = {
  encode: ({ encoded }) => encoded,
  decode(encoded) {
    const reader = new ByteReader(encoded);
    const lengths = lengthList.read(reader);
    return { lengths, bytes: reader.rest(), encoded };
  },
};

const bodyScratch = new ByteWriter(64 * 1_024);

export function bodyOf(transactions: readonly Uint8Array[]): Body {
  const writer = bodyScratch.clear();
  const lengths = transactions.map(({ length }) => length);
  lengthList.write(writer, lengths);
  const start = writer.length;
  for (const bytes of transactions) writer.bytes(bytes);
  const encoded = writer.toBytes();
  return { lengths, bytes: encoded.subarray(start), encoded };
}

export function transactionsOf(body: Body): Uint8Array[] {
  let at = 0;
  return body.lengths.map((length) => {
    const bytes = body.bytes.subarray(at, at + length);
    at += length;
    return bytes;
  });
}

export function transactionOf({ lengths, bytes }: Body, index: number): Uint8Array | undefined {
  const length = lengths[index];
  if (length === undefined) return undefined;
  let at = 0;
  for (let i = 0; i < index; i++) at += lengths[i];
  return bytes.subarray(at, at + length);
}
