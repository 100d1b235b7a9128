/** Page 02 §2, §6, §9.4. */
import { decodeBase64, encodeBase64 } from "../bytes/base64.ts";
import { DecodeError } from "../bytes/errors.ts";
import { int8 } from "../bytes/int64.ts";
import { JsonNumber, type JsonValue } from "../bytes/json.ts";
import type { ByteReader } from "../bytes/reader.ts";
import { decodeUtf8, encodeUtf8 } from "../bytes/utf8.ts";
import type { ByteWriter } from "../bytes/writer.ts";
import { TransactionParseError } from "./errors.ts";
import type { Wire } from "./wire.ts";

export type DataEntry =
  | { readonly key: string; readonly type: "integer"; readonly value: bigint }
  | { readonly key: string; readonly type: "boolean"; readonly value: boolean }
  | { readonly key: string; readonly type: "binary"; readonly value: Uint8Array }
  | { readonly key: string; readonly type: "string"; readonly value: string };

/** Per transaction. */
export const MAX_ENTRIES = 100;
/** In UTF-16 code units. */
const MAX_KEY_LENGTH = 100;
/** In bytes; text is counted in UTF-8. */
const MAX_VALUE_LENGTH = 1024;

const INTEGER = 0;
const BOOLEAN = 1;
const BINARY = 2;
const STRING = 3;

/** UTF-8 length in bytes. A lone surrogate counts as a question mark. */
function utf8Length(text: string): number {
  let length = 0;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0x80) length += 1;
    else if (unit < 0x800) length += 2;
    else if (unit < 0xd800 || unit > 0xdfff) length += 3;
    else if (unit < 0xdc00 && (text.charCodeAt(i + 1) & 0xfc00) === 0xdc00) {
      length += 4;
      i++;
    } else length += 1;
  }
  return length;
}

/** Checks maximum lengths; another rule rejects empty keys. */
export function hasAllowedLengths(entry: DataEntry): boolean {
  if (entry.key.length > MAX_KEY_LENGTH) return false;
  if (entry.type === "binary") return entry.value.length <= MAX_VALUE_LENGTH;
  return entry.type !== "string" || utf8Length(entry.value) <= MAX_VALUE_LENGTH;
}

/** Encoded length in bytes. */
export function entryLength(entry: DataEntry): number {
  const head = 3 + utf8Length(entry.key);
  if (entry.type === "integer") return head + 8;
  if (entry.type === "boolean") return head + 1;
  return head + 2 + (entry.type === "binary" ? entry.value.length : utf8Length(entry.value));
}

/** Returns the bytes in [from, to) that exist. @param first lowest index to read */
export function clampedSlice(bytes: Uint8Array, from: number, to: number, first = 0): Uint8Array {
  const start = Math.max(from, first);
  return bytes.subarray(start, Math.max(start, Math.min(to, bytes.length)));
}

/**
 * Reads a signed 16-bit integer; a negative position counts as 0.
 * @throws TransactionParseError with the reference's text if fewer than 2 bytes are left
 */
function int16At(bytes: Uint8Array, at: number): number {
  const start = Math.max(at, 0);
  const left = bytes.length - start;
  if (left < 2) throw new TransactionParseError(`array too small: ${Math.max(left, 0)} < 2`);
  return ((bytes[start] << 24) >> 16) | bytes[start + 1];
}

function byteAt(bytes: Uint8Array, at: number): number {
  if (at < 0 || at >= bytes.length) {
    throw new TransactionParseError(`Index ${at} out of bounds for length ${bytes.length}`);
  }
  return bytes[at];
}

function int64At(bytes: Uint8Array, at: number): bigint {
  const left = bytes.length - at;
  if (left < 8) throw new TransactionParseError(`array too small: ${Math.max(left, 0)} < 8`);
  return new DataView(bytes.buffer, bytes.byteOffset + at, 8).getBigInt64(0);
}

function keyAt(bytes: Uint8Array, at: number, length: number): Uint8Array {
  if (length < 0 || at < 0 || at > bytes.length - length) {
    throw new TransactionParseError(`offset ${at}, count ${length}, length ${bytes.length}`);
  }
  return bytes.subarray(at, at + length);
}

/** A replacement character may come from malformed bytes: the input may not be canonical. */
function readText(reader: ByteReader, bytes: Uint8Array): string {
  const text = decodeUtf8(bytes);
  if (text.includes("\ufffd")) reader.isNonCanonical = true;
  return text;
}

/** @param decodesText if false, a string value is read as "" */
function readValue(
  reader: ByteReader,
  bytes: Uint8Array,
  key: string,
  at: number,
  decodesText: boolean,
): [DataEntry, end: number] {
  const type = byteAt(bytes, at);
  if (type === INTEGER) return [{ key, type: "integer", value: int64At(bytes, at + 1) }, at + 9];
  if (type === BOOLEAN) {
    const byte = byteAt(bytes, at + 1);
    if (byte > 1) reader.isNonCanonical = true;
    return [{ key, type: "boolean", value: byte !== 0 }, at + 2];
  }
  if (type !== BINARY && type !== STRING) {
    throw new TransactionParseError(`Unknown type ${int8(type)}`);
  }
  const length = int16At(bytes, at + 1);
  const value = clampedSlice(bytes, at + 3, at + 3 + length);
  const end = at + 3 + length;
  if (value.length !== length) reader.isNonCanonical = true;
  if (type === BINARY) return [{ key, type: "binary", value }, end];
  return [{ key, type: "string", value: decodesText ? readText(reader, value) : "" }, end];
}

function moveTo(reader: ByteReader, position: number): void {
  if (position < 0) throw new TransactionParseError(`newPosition < 0: (${position} < 0)`);
  const limit = reader.source.length - reader.start;
  if (position > limit) throw new TransactionParseError(`newPosition > limit: (${position} > ${limit})`);
  reader.seek(reader.start + position);
}

export const entriesWire: Wire<readonly DataEntry[]> = {
  /** A negative value length moves the reader back. */
  read: (reader) => {
    // Like in the reference, positions in errors count from the end of the header.
    const bytes = reader.source.subarray(reader.start);
    const entries: DataEntry[] = [];
    const start = reader.position - reader.start;
    const count = int16At(bytes, start);
    if (count < 0 || count > MAX_ENTRIES) reader.isNonCanonical = true;
    let at = start + 2;
    for (let left = count; left > 0; left--) {
      const keyLength = int16At(bytes, at);
      const key = keyAt(bytes, at + 2, keyLength);
      // One entry above the limit is enough for rejection.
      const isKept = entries.length <= MAX_ENTRIES;
      const valueAt = at + 2 + keyLength;
      const [entry, end] = readValue(reader, bytes, isKept ? readText(reader, key) : "", valueAt, isKept);
      if (isKept) entries.push(entry);
      at = end;
    }
    moveTo(reader, at);
    return entries;
  },
  write: (writer, entries) => {
    writer.u16(entries.length);
    for (const entry of entries) writeEntry(writer, entry);
  },
};

function writeEntry(writer: ByteWriter, entry: DataEntry): void {
  writeArray(writer, encodeUtf8(entry.key));
  if (entry.type === "integer") writer.u8(INTEGER).i64(entry.value);
  else if (entry.type === "boolean") writer.u8(BOOLEAN).u8(entry.value ? 1 : 0);
  else if (entry.type === "binary") writeArray(writer.u8(BINARY), entry.value);
  else writeArray(writer.u8(STRING), encodeUtf8(entry.value));
}

function writeArray(writer: ByteWriter, bytes: Uint8Array): void {
  writer.u16(bytes.length).bytes(bytes);
}

export function entryJson(entry: DataEntry) {
  return { key: entry.key, type: entry.type, value: entryJsonValue(entry) };
}

export function entryJsonValue(entry: DataEntry): string | bigint | boolean {
  return entry.type === "binary" ? `base64:${encodeBase64(entry.value)}` : entry.value;
}

/** Returns an error text for an invalid entry. */
export function entryFromJson(json: JsonValue): DataEntry | string {
  const member = (name: string): JsonValue | undefined => (json instanceof Map ? json.get(name) : undefined);
  const keyText = member("key");
  if (typeof keyText !== "string") return "key is missing";
  const key = replaceLoneSurrogates(keyText);
  const type = member("type");
  const value = member("value");
  if (type === "integer") {
    if (!(value instanceof JsonNumber)) return "value is missing or not an integer";
    return { key, type, value: value.toInt64Wrapping() };
  }
  if (type === "boolean") {
    return typeof value === "boolean" ? { key, type, value } : "value is missing or not a boolean value";
  }
  if (type === "binary" || type === "string") {
    if (typeof value !== "string") return "value is missing or not a string";
    return type === "string" ? { key, type, value: replaceLoneSurrogates(value) } : binaryEntry(key, value);
  }
  return typeof type === "string" ? `unknown type ${type}` : "type is missing";
}

/** Inserts question marks, as in the encoded bytes, because keys with equal bytes must be equal. */
function replaceLoneSurrogates(text: string): string {
  return decodeUtf8(encodeUtf8(text));
}

function binaryEntry(key: string, text: string): DataEntry | string {
  try {
    return { key, type: "binary", value: decodeBase64(text) };
  } catch (error) {
    if (error instanceof DecodeError) return error.message;
    throw error;
  }
}
