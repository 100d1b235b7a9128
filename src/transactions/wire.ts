/** Page 02 §2, §4. */
import type { ByteReader } from "../bytes/reader.ts";
import type { ByteWriter } from "../bytes/writer.ts";
import { keyTypeById, keyTypeInfo, type PublicKey } from "../crypto/key-types.ts";
import { readAddress, readKey } from "./address-cache.ts";
import type { NetworkRules } from "./base.ts";
import { TransactionParseError } from "./errors.ts";

/** Decoded byte strings are views of the source, except cached keys and addresses. */
export interface Wire<T> {
  /**
   * Sets the reader's `isNonCanonical` if `write` would write other bytes.
   * @throws DecodeError at the end of the bytes; TransactionParseError with the protocol's text
   */
  read(reader: ByteReader, network: NetworkRules): T;
  write(writer: ByteWriter, value: T): void;
}

export interface AnyWire {
  read(reader: ByteReader, network: NetworkRules): unknown;
  write(writer: ByteWriter, value: never): void;
}

export const int64: Wire<bigint> = {
  read: (reader) => reader.i64(),
  write: (writer, value) => writer.i64(value),
};

export const int32: Wire<bigint> = {
  read: (reader) => BigInt(reader.i32()),
  write: (writer, value) => writer.i32(Number(value)),
};

/** In the bytes, 0 means absent. */
export const int64OrNone: Wire<bigint | undefined> = {
  read: (reader) => reader.i64() || undefined,
  write: (writer, value) => writer.i64(value ?? 0n),
};

export function fixedBytes(length: number): Wire<Uint8Array> {
  return {
    read: (reader) => reader.bytes(length),
    write: (writer, value) => writer.bytes(value),
  };
}

export const address: Wire<Uint8Array> = {
  read: (reader, network) => readAddress(reader, network.chainId),
  write: (writer, value) => writer.bytes(value),
};

const NONE = new Uint8Array(0);

/** `arr16`: 16-bit length, then the bytes. */
export const bytes16: Wire<Uint8Array> = {
  read: (reader) => {
    const length = reader.i16();
    if (length < 0) throw new TransactionParseError("requirement failed: negative array length");
    return length === 0 ? NONE : reader.bytes(length);
  },
  write: (writer, value) => writer.u16(value.length).bytes(value),
};

/** `arr16`; empty means absent. */
export const bytes16OrNone: Wire<Uint8Array | undefined> = {
  read: (reader, network) => {
    const bytes = bytes16.read(reader, network);
    return bytes.length === 0 ? undefined : bytes;
  },
  write: (writer, value) => bytes16.write(writer, value ?? NONE),
};

/** Any flag of an `opt` other than 1 means absent. */
function readFlag(reader: ByteReader): boolean {
  const flag = reader.u8();
  if (flag > 1) reader.isNonCanonical = true;
  return flag === 1;
}

/** `opt(arr16)`. */
export const flaggedBytes16: Wire<Uint8Array | undefined> = {
  read: (reader) => {
    if (!readFlag(reader)) return undefined;
    const length = reader.i16();
    // In the reference, the exception's text is only the length.
    if (length < 0) throw new TransactionParseError(String(length));
    return reader.bytes(length);
  },
  write: (writer, value) => {
    if (value === undefined) writer.u8(0);
    else bytes16.write(writer.u8(1), value);
  },
};

/** `opt(addr)`. */
export const flaggedAddress: Wire<Uint8Array | undefined> = {
  read: (reader, network) => (readFlag(reader) ? address.read(reader, network) : undefined),
  write: (writer, value) => {
    if (value === undefined) writer.u8(0);
    else writer.u8(1).bytes(value);
  },
};

/** 16-bit count, then the values. A negative count is read as 0. */
export function list16<T>(item: Wire<T>): Wire<readonly T[]> {
  return {
    read: (reader, network) => {
      const list: T[] = [];
      const count = reader.i16();
      if (count < 0) reader.isNonCanonical = true;
      for (let left = count; left > 0; left--) list.push(item.read(reader, network));
      return list;
    },
    write: (writer, list) => {
      writer.u16(list.length);
      for (const value of list) item.write(writer, value);
    },
  };
}

const ed25519 = keyTypeInfo("ed25519");

/** Without key type. */
export const ed25519Key: Wire<PublicKey> = {
  read: (reader) => readKey(reader, ed25519),
  write: (writer, key) => writer.bytes(key.bytes),
};

/** `account`: key type id and key. Not cached. */
export const account: Wire<PublicKey> = {
  read: (reader) => {
    const { name, publicKeyLength } = keyTypeById(reader.u8());
    return { keyType: name, bytes: reader.bytes(publicKeyLength) };
  },
  write: (writer, key) => writer.u8(keyTypeInfo(key.keyType).id).bytes(key.bytes),
};

export const senderAccount: Wire<PublicKey> = {
  read: (reader) => {
    try {
      return readKey(reader, keyTypeById(reader.u8()));
    } catch {
      // The reference uses one text for all errors.
      throw new TransactionParseError("Invalid sender public key");
    }
  },
  write: account.write,
};

/** Sponsor from version 3 on. A zero byte means no sponsor. */
export const sponsorAccount: Wire<PublicKey | undefined> = {
  read: (reader) => {
    try {
      const id = reader.u8();
      return id === 0 ? undefined : readKey(reader, keyTypeById(id));
    } catch {
      throw new TransactionParseError("Invalid sponsor public key");
    }
  },
  write: (writer, key) => {
    if (key === undefined) writer.u8(0);
    else account.write(writer, key);
  },
};
