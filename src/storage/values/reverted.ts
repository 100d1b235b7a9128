/** Units that left the chain, kept for a while. */

import { ByteReader } from "../../bytes/reader.ts";
import { ByteWriter } from "../../bytes/writer.ts";
import type { ChainCursor } from "../../interfaces.ts";
import { readSized, writeSized } from "../codecs.ts";
import type { ValueCodec } from "../kv.ts";
import {
  type Body,
  bodyValue,
  type HeaderRow,
  headerValue,
  type MicroBlockRow,
  microBlockValue,
} from "./chain.ts";
import { type Field, rest, sized, struct, structValue, varint } from "./fields.ts";
import { amountsValue, type RecordedTransactions, recordedValue } from "./ledger.ts";

/** A unit as it was when it left the chain: all that it takes to show it, or to put its block together. */
export interface RevertedUnit {
  /** Number of the row of `revertedOrder` that says when it left the chain last. */
  readonly serial: number;
  readonly height: number;
  readonly sequence: number;
  /** The unit that it stood upon. */
  readonly parent: ChainCursor;
  /** The header of the block as it stood with the unit. */
  readonly header: HeaderRow;
  /** Undefined for a key block. */
  readonly micro: MicroBlockRow | undefined;
  /** Undefined for a unit without transactions, as the next two. */
  readonly body: Body | undefined;
  readonly fees: BigInt64Array | undefined;
  readonly recorded: RecordedTransactions | undefined;
}

/** When a unit left the chain. */
export interface RevertedOrder {
  readonly id: Uint8Array;
  /** Bytes of all units that left it before, and of this one. */
  readonly start: number;
  readonly length: number;
}

/**
 * varints: serial, height, sequence, height and sequence of the parent; sized: id of the parent, header, micro block
 * (empty: none), body, fees, what was recorded (empty: no transactions).
 */
const revertedUnit = struct<RevertedUnit>({
  serial: varint,
  height: varint,
  sequence: varint,
  parent: struct<ChainCursor>({ height: varint, sequence: varint, id: sized }),
  header: encoded(headerValue),
  micro: optionalEncoded(microBlockValue),
  body: optionalEncoded(bodyValue),
  fees: optionalEncoded(amountsValue),
  recorded: optionalEncoded(recordedValue),
});

export const revertedUnitValue: ValueCodec<RevertedUnit> = {
  // In a writer of its own: the codecs of the parts share another one.
  encode(unit) {
    const writer = new ByteWriter(1_024);
    revertedUnit.write(writer, unit);
    return writer.toBytes();
  },
  decode: (bytes) => revertedUnit.read(new ByteReader(bytes)),
};

/** The bytes of another codec after their length. */
function encoded<V>(codec: ValueCodec<V>): Field<V> {
  return {
    write: (writer, value) => writeSized(writer, codec.encode(value)),
    read: (reader) => codec.decode(readSized(reader)),
  };
}

/** The same; an absent value has no bytes. */
function optionalEncoded<V>(codec: ValueCodec<V>): Field<V | undefined> {
  return encoded({
    encode: (value) => (value === undefined ? new Uint8Array(0) : codec.encode(value)),
    decode: (bytes) => (bytes.length === 0 ? undefined : codec.decode(bytes)),
  });
}

/** varints: start, length; then the id. */
export const revertedOrderValue = structValue<RevertedOrder>({ start: varint, length: varint, id: rest });
