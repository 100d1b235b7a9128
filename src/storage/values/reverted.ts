import { ByteReader } from "../../bytes/reader.ts";
import { ByteWriter } from "../../bytes/writer.ts";
import type { ChainCursor } from "../../interfaces.ts";
import { readLengthPrefixed, writeLengthPrefixed } from "../codecs.ts";
import type { ValueCodec } from "../kv.ts";
import {
  type Body,
  bodyValue,
  type HeaderRow,
  headerValue,
  type MicroBlockRow,
  microBlockValue,
} from "./chain.ts";
import { type Field, lengthPrefixed, rest, struct, structValue, varint } from "./fields.ts";
import { amountsValue, type RecordedTransactions, recordedValue } from "./ledger.ts";

export interface RevertedUnit {
  /** Serial of its last revert in `revertedOrder`. */
  readonly serial: number;
  readonly height: number;
  readonly sequence: number;
  readonly parent: ChainCursor;
  readonly header: HeaderRow;
  readonly micro: MicroBlockRow | undefined;
  readonly body: Body | undefined;
  readonly fees: BigInt64Array | undefined;
  readonly recorded: RecordedTransactions | undefined;
}

export interface RevertedOrder {
  readonly id: Uint8Array;
  /** Total size of all units reverted earlier, bytes. */
  readonly start: number;
  readonly length: number;
}

const revertedUnit = struct<RevertedUnit>({
  serial: varint,
  height: varint,
  sequence: varint,
  parent: struct<ChainCursor>({ height: varint, sequence: varint, id: lengthPrefixed }),
  header: encoded(headerValue),
  micro: optionalEncoded(microBlockValue),
  body: optionalEncoded(bodyValue),
  fees: optionalEncoded(amountsValue),
  recorded: optionalEncoded(recordedValue),
});

export const revertedUnitValue: ValueCodec<RevertedUnit> = {
  // Uses a separate writer, because the members' codecs share one.
  encode(unit) {
    const writer = new ByteWriter(1_024);
    revertedUnit.write(writer, unit);
    return writer.toBytes();
  },
  decode: (bytes) => revertedUnit.read(new ByteReader(bytes)),
};

function encoded<V>(codec: ValueCodec<V>): Field<V> {
  return {
    write: (writer, value) => writeLengthPrefixed(writer, codec.encode(value)),
    read: (reader) => codec.decode(readLengthPrefixed(reader)),
  };
}

function optionalEncoded<V>(codec: ValueCodec<V>): Field<V | undefined> {
  return encoded({
    encode: (value) => (value === undefined ? new Uint8Array(0) : codec.encode(value)),
    decode: (bytes) => (bytes.length === 0 ? undefined : codec.decode(bytes)),
  });
}

export const revertedOrderValue = structValue<RevertedOrder>({ start: varint, length: varint, id: rest });
