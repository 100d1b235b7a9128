/** Units that left the chain, kept for a while. */

import { ByteReader } from "../../bytes/reader.ts";
import { ByteWriter } from "../../bytes/writer.ts";
import type { ChainCursor } from "../../interfaces.ts";
import { readSized, readVarint, writeSized, writeVarint } from "../codecs.ts";
import type { ValueCodec } from "../kv.ts";
import {
  type Body,
  bodyValue,
  type HeaderRow,
  headerValue,
  type MicroBlockRow,
  microBlockValue,
} from "./chain.ts";
import { rest, structValue, varint } from "./fields.ts";
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
export const revertedUnitValue: ValueCodec<RevertedUnit> = {
  encode(unit) {
    const { parent, header, micro, body, fees, recorded } = unit;
    const parts = [
      parent.id,
      headerValue.encode(header),
      micro === undefined ? NOTHING : microBlockValue.encode(micro),
      body === undefined ? NOTHING : bodyValue.encode(body),
      fees === undefined ? NOTHING : amountsValue.encode(fees),
      recorded === undefined ? NOTHING : recordedValue.encode(recorded),
    ];
    const writer = new ByteWriter(64 + parts.reduce((sum, { length }) => sum + length, 0));
    for (const figure of [unit.serial, unit.height, unit.sequence, parent.height, parent.sequence])
      writeVarint(writer, figure);
    for (const part of parts) writeSized(writer, part);
    return writer.toBytes();
  },
  decode(bytes) {
    const reader = new ByteReader(bytes);
    const [serial, height, sequence] = [readVarint(reader), readVarint(reader), readVarint(reader)];
    const [parentHeight, parentSequence] = [readVarint(reader), readVarint(reader)];
    const part = <V>(codec: ValueCodec<V>): V | undefined => {
      const encoded = readSized(reader);
      return encoded.length === 0 ? undefined : codec.decode(encoded);
    };
    const parent = { height: parentHeight, sequence: parentSequence, id: readSized(reader) };
    const header = headerValue.decode(readSized(reader));
    const micro = part(microBlockValue);
    const body = part(bodyValue);
    const fees = part(amountsValue);
    return { serial, height, sequence, parent, header, micro, body, fees, recorded: part(recordedValue) };
  },
};

const NOTHING = new Uint8Array(0);

/** varints: start, length; then the id. */
export const revertedOrderValue = structValue<RevertedOrder>({ start: varint, length: varint, id: rest });
