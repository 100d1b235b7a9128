import { ByteReader } from "../../bytes/reader.ts";
import { ByteWriter } from "../../bytes/writer.ts";
import { readVarint, writeLengthPrefixed, writeVarint } from "../codecs.ts";

/** Changed keys in the order of the changes, and the previous value of each key (undefined: no row). */
export interface Records {
  readonly keys: Uint8Array[];
  readonly previous: (Uint8Array | undefined)[];
}

const recordsScratch = new ByteWriter(16 * 1_024);

/**
 * Encodes a row of the undo journal. For each table: prefix u8, varint number of rows; for each row: length-prefixed
 * key, varint 0 if there was no row, or else length + 1 and the previous value. For a counter: one row with an empty
 * key, and the added counts as its previous value.
 */
export function encodeRecords(recordsByPrefix: ReadonlyMap<number, Records>): Uint8Array {
  const writer = recordsScratch.clear();
  for (const [prefix, { keys, previous }] of recordsByPrefix) {
    writer.u8(prefix);
    writeVarint(writer, keys.length);
    for (let i = 0; i < keys.length; i++) {
      writeLengthPrefixed(writer, keys[i]);
      const bytes = previous[i];
      if (bytes === undefined) writer.u8(0);
      else {
        writeVarint(writer, bytes.length + 1);
        writer.bytes(bytes);
      }
    }
  }
  return writer.toBytes();
}

export function decodeRecords(bytes: Uint8Array): Map<number, Records> {
  const reader = new ByteReader(bytes);
  const recordsByPrefix = new Map<number, Records>();
  while (reader.remaining > 0) {
    const prefix = reader.u8();
    const count = readVarint(reader);
    const records: Records = { keys: [], previous: [] };
    for (let i = 0; i < count; i++) {
      records.keys.push(reader.bytes(readVarint(reader)).slice());
      const length = readVarint(reader);
      records.previous.push(length === 0 ? undefined : reader.bytes(length - 1).slice());
    }
    recordsByPrefix.set(prefix, records);
  }
  return recordsByPrefix;
}
