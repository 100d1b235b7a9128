/** Codecs of the index tables (`indexes/`); the tables themselves stand with all others in `tables.ts`. */

import { ByteReader } from "../../bytes/reader.ts";
import { decodeUtf8, encodeUtf8 } from "../../bytes/utf8.ts";
import { ADDRESS_LENGTH } from "../../crypto/addresses.ts";
import { type KeyType, keyTypeById, keyTypeInfo } from "../../crypto/key-types.ts";
import type { RoleGrant } from "../../interfaces.ts";
import { getU32, putU32, readSized, readVarint, record, writeSized, writeVarint } from "../codecs.ts";
import type { KeyCodec, ValueCodec } from "../kv.ts";
import type { Place } from "../places.ts";

/** Varints, one behind the other. */
const varintsValue: ValueCodec<readonly number[]> = record(
  (writer, numbers) => {
    for (const number of numbers) writeVarint(writer, number);
  },
  (reader) => {
    const numbers: number[] = [];
    while (reader.remaining > 0) numbers.push(readVarint(reader));
    return numbers;
  },
);

/** Positions of transactions in their block, ascending: varints */
export const positionsValue = varintsValue;

/** A value that a mapped anchor has for a key. */
export interface MappedPair {
  /** Place of the transaction in its block. */
  readonly position: number;
  readonly sender: Uint8Array;
  readonly value: Uint8Array;
}

/** For each pair, by position: position varint, sender(26), value sized */
export const mappedPairsValue: ValueCodec<readonly MappedPair[]> = record(
  (writer, pairs) => {
    for (const { position, sender, value } of pairs) {
      writeVarint(writer, position);
      writer.bytes(sender);
      writeSized(writer, value);
    }
  },
  (reader) => {
    const pairs: MappedPair[] = [];
    while (reader.remaining > 0) {
      const position = readVarint(reader);
      pairs.push({ position, sender: reader.bytes(ADDRESS_LENGTH).slice(), value: readSized(reader) });
    }
    return pairs;
  },
);

/** What an account states about a credential. */
export interface CredentialNote {
  /** Place of the transaction in its block. */
  readonly position: number;
  /** Type of the statement: page 07 §11.1. */
  readonly type: number;
  readonly sender: Uint8Array;
  /** Timestamp of the transaction, ms. */
  readonly timestamp: bigint;
}

/** For each statement, by position: position varint, type u8, sender(26), time i64 */
export const credentialNotesValue: ValueCodec<readonly CredentialNote[]> = record(
  (writer, notes) => {
    for (const { position, type, sender, timestamp } of notes) {
      writeVarint(writer, position);
      writer.u8(type).bytes(sender).i64(timestamp);
    }
  },
  (reader) => {
    const notes: CredentialNote[] = [];
    while (reader.remaining > 0) {
      const position = readVarint(reader);
      const type = reader.u8();
      const sender = reader.bytes(ADDRESS_LENGTH).slice();
      notes.push({ position, type, sender, timestamp: reader.i64() });
    }
    return notes;
  },
);

/** key type u8, created i64, public key */
export const firstSeenKeyValue = record<{
  readonly keyType: KeyType;
  readonly publicKey: Uint8Array;
  readonly created: bigint;
}>(
  (writer, { keyType, publicKey, created }) =>
    writer.u8(keyTypeInfo(keyType).id).i64(created).bytes(publicKey),
  (reader) => {
    const keyType = keyTypeById(reader.u8()).name;
    const created = reader.i64();
    return { keyType, created, publicKey: reader.rest().slice() };
  },
);

const hasExpiry = 1;
const hasDelay = 2;
const isCapability = 4;

/** flags u8, relationships u16, recipient(26), timestamp i64, [expires i64], [revoke delay i64] */
export const methodValue = record<{
  readonly capability: boolean;
  readonly relationships: number;
  readonly recipient: Uint8Array;
  readonly timestamp: bigint;
  readonly expires?: bigint | undefined;
  readonly revokeDelay?: bigint | undefined;
}>(
  (writer, method) => {
    const { expires, revokeDelay } = method;
    writer.u8(
      (expires === undefined ? 0 : hasExpiry) |
        (revokeDelay === undefined ? 0 : hasDelay) |
        (method.capability ? isCapability : 0),
    );
    writer.u16(method.relationships).bytes(method.recipient).i64(method.timestamp);
    if (expires !== undefined) writer.i64(expires);
    if (revokeDelay !== undefined) writer.i64(revokeDelay);
  },
  (reader) => {
    const flags = reader.u8();
    return {
      capability: (flags & isCapability) !== 0,
      relationships: reader.u16(),
      recipient: reader.bytes(ADDRESS_LENGTH).slice(),
      timestamp: reader.i64(),
      expires: flags & hasExpiry ? reader.i64() : undefined,
      revokeDelay: flags & hasDelay ? reader.i64() : undefined,
    };
  },
);

export interface AddressEntryKey extends Place {
  readonly address: Uint8Array;
  /** Place of the data entry in its transaction, from 0. */
  readonly entry: number;
}

/** address(26), height u32, position u32, entry u8 */
export const addressEntryKey: KeyCodec<AddressEntryKey> = {
  encode({ address, height, position, entry }) {
    const out = new Uint8Array(ADDRESS_LENGTH + 9);
    out.set(address);
    putU32(out, ADDRESS_LENGTH, height);
    putU32(out, ADDRESS_LENGTH + 4, position);
    out[ADDRESS_LENGTH + 8] = entry;
    return out;
  },
  decode: (bytes) => ({
    address: bytes.subarray(0, ADDRESS_LENGTH),
    height: getU32(bytes, ADDRESS_LENGTH),
    position: getU32(bytes, ADDRESS_LENGTH + 4),
    entry: bytes[ADDRESS_LENGTH + 8] as number,
  }),
};

/** timestamp i64, fragment sized UTF-8, JSON text UTF-8 (none for a removal) */
export const serviceValue = record<{
  readonly fragment: string;
  readonly json: string | undefined;
  readonly timestamp: bigint;
}>(
  (writer, { fragment, json, timestamp }) => {
    writer.i64(timestamp);
    writeSized(writer, encodeUtf8(fragment));
    if (json !== undefined) writer.bytes(encodeUtf8(json));
  },
  (reader) => {
    const timestamp = reader.i64();
    const fragment = decodeUtf8(readSized(reader));
    // A JSON object has at least two characters, so nothing left means a removal.
    return { timestamp, fragment, json: reader.remaining > 0 ? decodeUtf8(reader.rest()) : undefined };
  },
);

/** sender(26), timestamp i64 */
export const deactivationValue = record<{ readonly sender: Uint8Array; readonly timestamp: bigint }>(
  (writer, { sender, timestamp }) => writer.bytes(sender).i64(timestamp),
  (reader) => ({ sender: reader.bytes(ADDRESS_LENGTH).slice(), timestamp: reader.i64() }),
);

/** For each role in the order of first grant: name sized UTF-8, sender(26), type i64 */
export const rolesValue = record<readonly RoleGrant[]>(
  (writer, roles) => {
    for (const { role, sender, type } of roles) {
      writeSized(writer, encodeUtf8(role));
      writer.bytes(sender).i64(type);
    }
  },
  (reader) => {
    const roles: RoleGrant[] = [];
    while (reader.remaining > 0) {
      roles.push({
        role: decodeUtf8(readSized(reader)),
        sender: reader.bytes(ADDRESS_LENGTH).slice(),
        type: reader.i64(),
      });
    }
    return roles;
  },
);

export interface AddressPair {
  readonly first: Uint8Array;
  readonly second: Uint8Array;
}

/** two addresses (26 each) */
export const addressPairKey: KeyCodec<AddressPair> = {
  encode({ first, second }) {
    const out = new Uint8Array(2 * ADDRESS_LENGTH);
    out.set(first);
    out.set(second, ADDRESS_LENGTH);
    return out;
  },
  decode: (bytes) => ({ first: bytes.subarray(0, ADDRESS_LENGTH), second: bytes.subarray(ADDRESS_LENGTH) }),
};

/** A transaction as the list of one address shows it. */
export interface ListedTransaction {
  readonly position: number;
  readonly type: number;
  readonly timestamp: bigint;
  /** Listed by the node's own index, page 06 §7.5. */
  readonly inNodeList: boolean;
  /** Listed by the groups of page 07 §12.1. */
  readonly inGroups: boolean;
}

/** In which of the two lists of an address a transaction is: flags beside its type. */
export const listedIn = { node: 0x80, groups: 0x40 } as const;
const typeMask = 0x3f;
/** Beside the flags: the type follows in a byte of its own. */
const longType = 0x3f;

/** Number of bytes that `putListed` writes. */
export function listedLength(position: number, type: number): number {
  let length = type < longType ? 10 : 11;
  for (let rest = position; rest >= 0x80; rest >>>= 7) length++;
  return length;
}

/**
 * Packs a transaction of a list: position varint, flags and type u8, timestamp i64. From 63 on the type has a byte of
 * its own behind that of the flags, which then holds 63.
 * @param type below 256
 * @param flags of `listedIn`
 * @returns where it ends
 */
export function putListed(
  out: DataView,
  at: number,
  position: number,
  type: number,
  timestamp: bigint,
  flags: number,
): number {
  let end = at;
  let rest = position;
  for (; rest >= 0x80; rest >>>= 7) out.setUint8(end++, (rest & 0x7f) | 0x80);
  out.setUint8(end++, rest);
  if (type < longType) out.setUint8(end++, type | flags);
  else {
    out.setUint8(end++, longType | flags);
    out.setUint8(end++, type);
  }
  out.setBigInt64(end, timestamp);
  return end + 8;
}

/**
 * The transactions of a list that `putListed` packed, one behind the other.
 * @param newest only those that are dated at this time or before, ms
 */
export function* listedTransactions(bytes: Uint8Array, newest?: bigint): Generator<ListedTransaction> {
  const reader = new ByteReader(bytes);
  while (reader.remaining > 0) {
    const position = readVarint(reader);
    const flags = reader.u8();
    const type = (flags & typeMask) === longType ? reader.u8() : flags & typeMask;
    const timestamp = reader.i64();
    // Pages of long lists pass over thousands.
    if (newest !== undefined && timestamp > newest) continue;
    yield {
      position,
      type,
      timestamp,
      inNodeList: (flags & listedIn.node) !== 0,
      inGroups: (flags & listedIn.groups) !== 0,
    };
  }
}
