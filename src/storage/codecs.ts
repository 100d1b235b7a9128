import { DecodeError } from "../bytes/errors.ts";
import { ByteReader } from "../bytes/reader.ts";
import { ByteWriter } from "../bytes/writer.ts";
import type { KeyCodec, Table, ValueCodec } from "./kv.ts";

export function table<K, V>(
  prefix: number,
  name: string,
  key: KeyCodec<K>,
  value: ValueCodec<V>,
  options: { readonly journaled?: boolean } = {},
): Table<K, V> {
  return { name, prefix, key, value, journaled: options.journaled ?? true };
}

/** Writes a number below 2^53: seven bits per byte, lowest first. */
export function writeVarint(writer: ByteWriter, value: number): void {
  let remaining = value;
  while (remaining >= 0x80) {
    writer.u8((remaining % 0x80) + 0x80);
    remaining = Math.floor(remaining / 0x80);
  }
  writer.u8(remaining);
}

/** @throws DecodeError if the bytes end too early, or the number exceeds 2^53 - 1 */
export function readVarint(reader: ByteReader): number {
  let value = 0;
  let scale = 1;
  for (;;) {
    const byte = reader.u8();
    value += (byte % 0x80) * scale;
    if (byte < 0x80) {
      if (!Number.isSafeInteger(value)) throw new DecodeError("varint out of range");
      return value;
    }
    scale *= 0x80;
  }
}

export function writeLengthPrefixed(writer: ByteWriter, bytes: Uint8Array): void {
  writeVarint(writer, bytes.length);
  writer.bytes(bytes);
}

export function readLengthPrefixed(reader: ByteReader): Uint8Array {
  return reader.bytes(readVarint(reader)).slice();
}

/** Key of a table's only row. */
export const singletonKey: KeyCodec<void> = {
  encode: () => new Uint8Array(0),
  decode: () => undefined,
};

export const bytesKeyCodec: KeyCodec<Uint8Array> = {
  encode: (bytes) => bytes,
  decode: (bytes) => bytes,
};

/** Big-endian. */
export function putU32(out: Uint8Array, at: number, value: number): void {
  out[at] = value >>> 24;
  out[at + 1] = value >>> 16;
  out[at + 2] = value >>> 8;
  out[at + 3] = value;
}

export function getU32(bytes: Uint8Array, at: number): number {
  return bytes[at] * 0x1000000 + ((bytes[at + 1] << 16) | (bytes[at + 2] << 8) | bytes[at + 3]);
}

export const presenceValue: ValueCodec<true> = {
  encode: () => new Uint8Array(0),
  decode: () => true,
};

export const bytesValue: ValueCodec<Uint8Array> = {
  encode: (bytes) => bytes,
  decode: (bytes) => bytes,
};

export const int64Value: ValueCodec<bigint> = {
  encode: (value) => new ByteWriter(8).i64(value).toBytes(),
  decode: (bytes) => new ByteReader(bytes).i64(),
};

/** Encodes a natural number in minimal big-endian bytes; 0 has no bytes. */
export const naturalValue: ValueCodec<bigint> = {
  encode(value) {
    if (value < 0n) throw new RangeError(`Cannot encode ${value}: the number must not be negative`);
    if (value === 0n) return new Uint8Array(0);
    const hex = value.toString(16);
    return new Uint8Array(Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, "hex"));
  },
  decode: (bytes) => (bytes.length === 0 ? 0n : BigInt(`0x${Buffer.from(bytes).toString("hex")}`)),
};

const sharedWriter = new ByteWriter(1024);

/**
 * @param write must not call another codec that `valueCodec` made, because all share a buffer
 */
export function valueCodec<V>(
  write: (writer: ByteWriter, value: V) => void,
  read: (reader: ByteReader) => V,
): ValueCodec<V> {
  return {
    encode(value) {
      write(sharedWriter.clear(), value);
      return sharedWriter.toBytes();
    },
    decode: (bytes) => read(new ByteReader(bytes)),
  };
}
