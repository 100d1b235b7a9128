import type { ByteReader } from "../../bytes/reader.ts";
import type { ByteWriter } from "../../bytes/writer.ts";
import { readVarint, writeVarint } from "../codecs.ts";
import { address, type Field, structKey, structValue, u32, varint } from "./fields.ts";

/** Writes a signed integer of any size as a zigzag varint, because sums can exceed 64 bits. */
export function writeInteger(writer: ByteWriter, value: bigint): void {
  let remaining = value < 0n ? -value * 2n - 1n : value * 2n;
  while (remaining >= 0x80n) {
    writer.u8(Number(remaining & 0x7fn) | 0x80);
    remaining >>= 7n;
  }
  writer.u8(Number(remaining));
}

export function readInteger(reader: ByteReader): bigint {
  let value = 0n;
  let shift = 0n;
  for (;;) {
    const byte = reader.u8();
    value |= BigInt(byte & 0x7f) << shift;
    if (byte < 0x80) return value % 2n === 0n ? value / 2n : -(value + 1n) / 2n;
    shift += 7n;
  }
}

const integer: Field<bigint> = { write: writeInteger, read: readInteger };

/** Totals of one day. Page 07 §13. */
export interface DaySums {
  /** Height of the day's last block. */
  readonly height: number;
  readonly blocks: number;
  /** A mass transfer has one for each transfer. Page 07 §13.2. */
  readonly operations: number;
  /** Hashes in anchor transactions. */
  readonly anchors: number;
  /** Fees of the day's blocks that have a child, in 10^-8 tokens. */
  readonly fees: bigint;
  /** Tokens of leases that began (`leaseIn`) or ended (`leaseOut`) on this day, in 10^-8. */
  readonly leaseIn: bigint;
  readonly leaseOut: bigint;
  /** Tokens under lease after the last block of the day, in 10^-8. */
  readonly leased: bigint;
  /** Number of transactions by type. */
  readonly transactions: ReadonlyMap<number, number>;
}

export const daySumsValue = structValue<DaySums>({
  height: u32,
  blocks: varint,
  operations: varint,
  anchors: varint,
  fees: integer,
  leaseIn: integer,
  leaseOut: integer,
  leased: integer,
  transactions: {
    write(writer, counts) {
      for (const [type, count] of counts) writeVarint(writer.u8(type), count);
    },
    read(reader) {
      const counts = new Map<number, number>();
      while (reader.remaining > 0) counts.set(reader.u8(), readVarint(reader));
      return counts;
    },
  },
});

export interface ForgedSums {
  readonly blocks: number;
  /** In 10^-8 tokens. */
  readonly reward: bigint;
}

export const forgedSumsValue = structValue<ForgedSums>({ blocks: varint, reward: integer });

export interface DayAddressKey {
  /** Days since 1970-01-01 UTC. */
  readonly day: number;
  readonly address: Uint8Array;
}

export const dayAddressKey = structKey<DayAddressKey>({ day: u32, address });
