import type { ByteReader } from "../../bytes/reader.ts";
import { decodeUtf8, encodeUtf8 } from "../../bytes/utf8.ts";
import type { ByteWriter } from "../../bytes/writer.ts";
import { ADDRESS_LENGTH } from "../../crypto/addresses.ts";
import { readLengthPrefixed, readVarint, valueCodec, writeLengthPrefixed, writeVarint } from "../codecs.ts";
import type { KeyCodec, ValueCodec } from "../kv.ts";

export interface Field<T> {
  write(writer: ByteWriter, value: T): unknown;
  read(reader: ByteReader): T;
}

type Fields<V> = { readonly [K in keyof V]-?: Field<V[K]> };

export const u8: Field<number> = { write: (to, value) => to.u8(value), read: (from) => from.u8() };
export const u16: Field<number> = { write: (to, value) => to.u16(value), read: (from) => from.u16() };
export const u32: Field<number> = { write: (to, value) => to.u32(value), read: (from) => from.u32() };
export const i8: Field<number> = { write: (to, value) => to.i8(value), read: (from) => from.i8() };
export const i16: Field<number> = { write: (to, value) => to.i16(value), read: (from) => from.i16() };
export const i32: Field<number> = { write: (to, value) => to.i32(value), read: (from) => from.i32() };
export const i64: Field<bigint> = { write: (to, value) => to.i64(value), read: (from) => from.i64() };
export const varint: Field<number> = { write: writeVarint, read: readVarint };
export const lengthPrefixed: Field<Uint8Array> = { write: writeLengthPrefixed, read: readLengthPrefixed };
export const flag: Field<boolean> = {
  write: (writer, value) => writer.u8(value ? 1 : 0),
  read: (reader) => reader.u8() !== 0,
};
export const address = fixedBytes(ADDRESS_LENGTH);
export const text: Field<string> = {
  write: (writer, value) => writeLengthPrefixed(writer, encodeUtf8(value)),
  read: (reader) => decodeUtf8(readLengthPrefixed(reader)),
};
export const rest: Field<Uint8Array> = {
  write: (writer, value) => writer.bytes(value),
  read: (reader) => reader.rest().slice(),
};

export function fixedBytes(length: number): Field<Uint8Array> {
  return { write: (writer, value) => writer.bytes(value), read: (reader) => reader.bytes(length).slice() };
}

/** Makes the last field of a struct optional. */
export function optional<T>(field: Field<T>): Field<T | undefined> {
  return {
    write: (writer, value) => value !== undefined && field.write(writer, value),
    read: (reader) => (reader.remaining === 0 ? undefined : field.read(reader)),
  };
}

/** A list that extends to the end of the bytes. Use it only as the last field. */
export function listOf<T>(field: Field<T>): Field<readonly T[]> {
  return {
    write(writer, values) {
      for (const value of values) field.write(writer, value);
    },
    read(reader) {
      const values: T[] = [];
      while (reader.remaining > 0) values.push(field.read(reader));
      return values;
    },
  };
}

export function countedList<T>(field: Field<T>): Field<readonly T[]> {
  return {
    write(writer, values) {
      writeVarint(writer, values.length);
      for (const value of values) field.write(writer, value);
    },
    read(reader) {
      const values: T[] = new Array(readVarint(reader));
      for (let i = 0; i < values.length; i++) values[i] = field.read(reader);
      return values;
    },
  };
}

export function struct<V>(fields: Fields<V>): Field<V> {
  const members = Object.entries(fields) as [keyof V, Field<V[keyof V]>][];
  return {
    write(writer, value) {
      for (const [name, field] of members) field.write(writer, value[name]);
    },
    read(reader) {
      const value: Partial<V> = {};
      for (const [name, field] of members) value[name] = field.read(reader);
      return value as V;
    },
  };
}

export function structValue<V>(fields: Fields<V>): ValueCodec<V> {
  return fieldValue(struct<V>(fields));
}

export function fieldValue<V>(field: Field<V>): ValueCodec<V> {
  return valueCodec((writer, value) => field.write(writer, value), field.read);
}

/** The fields must have fixed lengths, so that the encoded bytes sort like the keys. */
export function structKey<K>(fields: Fields<K>): KeyCodec<K> {
  return structValue<K>(fields);
}
