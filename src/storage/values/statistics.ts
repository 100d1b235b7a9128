/** Codecs of the tables of sums (`indexes/statistics/write.ts`, `indexes/generators/write.ts`); the tables stand in `tables.ts`. */
import type { ByteReader } from "../../bytes/reader.ts";
import type { ByteWriter } from "../../bytes/writer.ts";
import { readVarint, writeVarint } from "../codecs.ts";
import { address, type Field, structKey, structValue, u32, varint } from "./fields.ts";

/**
 * Writes an integer of any size and sign, seven bits a byte, lowest first; the sign is the lowest bit. Sums of amounts
 * have no bound of 64 bits: who lends and takes back all day long comes to any number.
 */
export function writeInteger(writer: ByteWriter, value: bigint): void {
  let rest = value < 0n ? -value * 2n - 1n : value * 2n;
  while (rest >= 0x80n) {
    writer.u8(Number(rest & 0x7fn) | 0x80);
    rest >>= 7n;
  }
  writer.u8(Number(rest));
}

/** Reads what `writeInteger` wrote. */
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

/** What happened on one day. Page 07 §13. */
export interface DaySums {
  /** Height of the last block of the day. */
  readonly height: number;
  readonly blocks: number;
  readonly operations: number;
  /** Tokens lent, and taken back, in 10^-8. */
  readonly leaseIn: bigint;
  readonly leaseOut: bigint;
  /** What was lent in all behind the last block of the day. */
  readonly leased: bigint;
  /** Number of transactions by type. */
  readonly transactions: ReadonlyMap<number, number>;
}

/** height u32; blocks, operations varints; lease in, out, leased integers; then type u8 and count varint for each type. */
export const daySumsValue = structValue<DaySums>({
  height: u32,
  blocks: varint,
  operations: varint,
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

/** What an account forged within some time. */
export interface ForgedSums {
  readonly blocks: number;
  /** In 10^-8 tokens. */
  readonly reward: bigint;
}

/** blocks varint, reward integer. */
export const forgedSumsValue = structValue<ForgedSums>({ blocks: varint, reward: integer });

export interface DayAddressKey {
  /** Days since 1970-01-01 UTC. */
  readonly day: number;
  readonly address: Uint8Array;
}

/** day u32, address(26). */
export const dayAddressKey = structKey<DayAddressKey>({ day: u32, address });
