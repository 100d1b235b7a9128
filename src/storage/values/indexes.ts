import { ByteReader } from "../../bytes/reader.ts";
import { decodeUtf8, encodeUtf8 } from "../../bytes/utf8.ts";
import { ADDRESS_LENGTH } from "../../crypto/addresses.ts";
import { type KeyType, keyTypeById, keyTypeInfo } from "../../crypto/key-types.ts";
import type { RoleGrant } from "../../interfaces.ts";
import { readVarint, valueCodec } from "../codecs.ts";
import type { Place } from "../places.ts";
import {
  address,
  type Field,
  fieldValue,
  i64,
  lengthPrefixed,
  listOf,
  optional,
  rest,
  struct,
  structKey,
  structValue,
  text,
  u8,
  u32,
  varint,
} from "./fields.ts";

export const positionsValue = fieldValue(listOf(varint));

export interface MappedPair {
  readonly position: number;
  readonly sender: Uint8Array;
  readonly value: Uint8Array;
}

export const mappedPairsValue = fieldValue(
  listOf(struct<MappedPair>({ position: varint, sender: address, value: lengthPrefixed })),
);

export interface CredentialStatementRow {
  readonly position: number;
  /** Page 07 §11.1. */
  readonly type: number;
  readonly sender: Uint8Array;
  readonly timestamp: bigint;
}

export const credentialStatementsValue = fieldValue(
  listOf(struct<CredentialStatementRow>({ position: varint, type: u8, sender: address, timestamp: i64 })),
);

const keyType: Field<KeyType> = {
  write: (writer, name) => writer.u8(keyTypeInfo(name).id),
  read: (reader) => keyTypeById(reader.u8()).name,
};

/** The first public key of an address in chain order. Page 07 §8.1. */
export interface FirstSeenKey {
  readonly keyType: KeyType;
  readonly publicKey: Uint8Array;
  /** Ms. */
  readonly created: bigint;
}

export const firstSeenKeyValue = structValue<FirstSeenKey>({ keyType, created: i64, publicKey: rest });

const EXPIRY_BIT = 1;
const DELAY_BIT = 2;
const CAPABILITY_BIT = 4;

/**
 * Grants or revokes a verification method or, if `capability` is true, the capability to deactivate the DID. Page 07
 * §8.3, §8.5. `relationships` has the bits of §8.3. A revocation has 0, or 0x11f for the account's own key.
 */
export interface MethodRecord {
  readonly capability: boolean;
  readonly relationships: number;
  readonly recipient: Uint8Array;
  /** The transaction's timestamp, plus the delay of a delayed revocation, ms. */
  readonly timestamp: bigint;
  readonly expires?: bigint | undefined;
  /** Delay of a later revocation of this capability, ms. */
  readonly revokeDelay?: bigint | undefined;
}

/** Layout: flags u8, relationships u16, recipient(26), timestamp i64, [expires i64], [revoke delay i64] */
export const methodValue = valueCodec<MethodRecord>(
  (writer, method) => {
    const { expires, revokeDelay } = method;
    writer.u8(
      (expires === undefined ? 0 : EXPIRY_BIT) |
        (revokeDelay === undefined ? 0 : DELAY_BIT) |
        (method.capability ? CAPABILITY_BIT : 0),
    );
    writer.u16(method.relationships).bytes(method.recipient).i64(method.timestamp);
    if (expires !== undefined) writer.i64(expires);
    if (revokeDelay !== undefined) writer.i64(revokeDelay);
  },
  (reader) => {
    const flags = reader.u8();
    return {
      capability: (flags & CAPABILITY_BIT) !== 0,
      relationships: reader.u16(),
      recipient: reader.bytes(ADDRESS_LENGTH).slice(),
      timestamp: reader.i64(),
      expires: flags & EXPIRY_BIT ? reader.i64() : undefined,
      revokeDelay: flags & DELAY_BIT ? reader.i64() : undefined,
    };
  },
);

export interface AddressEntryKey extends Place {
  readonly address: Uint8Array;
  /** Index of the data entry in its transaction, from 0. */
  readonly entry: number;
}

export const addressEntryKey = structKey<AddressEntryKey>({ address, height: u32, position: u32, entry: u8 });

const json: Field<string> = {
  write: (writer, value) => writer.bytes(encodeUtf8(value)),
  read: (reader) => decodeUtf8(reader.rest()),
};

/** Page 07 §8.6. */
export interface ServiceRecord {
  /** The generated id: `#` and the data key without its prefix. */
  readonly fragment: string;
  /** Undefined for a removed service. */
  readonly json: string | undefined;
  /** Ms. */
  readonly timestamp: bigint;
}

export const serviceValue = structValue<ServiceRecord>({
  timestamp: i64,
  fragment: text,
  json: optional(json),
});

/** The first valid deactivation of a DID. Page 07 §8.5. */
export interface Deactivation {
  readonly sender: Uint8Array;
  /** Ms. */
  readonly timestamp: bigint;
}

export const deactivationValue = structValue<Deactivation>({ sender: address, timestamp: i64 });

/** Roles in the order in which they were first granted. */
export const rolesValue = fieldValue(listOf(struct<RoleGrant>({ role: text, sender: address, type: i64 })));

export interface AddressPair {
  readonly first: Uint8Array;
  readonly second: Uint8Array;
}

export const addressPairKey = structKey<AddressPair>({ first: address, second: address });

export interface ListedTransaction {
  readonly position: number;
  readonly type: number;
  readonly timestamp: bigint;
  /** True if the node's list of the address contains the transaction. Page 06 §7.5. */
  readonly inNodeList: boolean;
  /** True if groups of the address contain the transaction. Page 07 §12.1. */
  readonly inGroups: boolean;
}

/** Bits of `ListedTransaction.inNodeList` and `inGroups`. */
export const listedFlags = { node: 0x80, groups: 0x40 } as const;
const TYPE_MASK = 0x3f;
const MIN_LONG_TYPE = 0x3f;

export function listedLength(position: number, type: number): number {
  let length = type < MIN_LONG_TYPE ? 10 : 11;
  for (let remaining = position; remaining >= 0x80; remaining >>>= 7) length++;
  return length;
}

/**
 * Layout: position varint, flags and type u8, timestamp i64. For types from 63 on, the type bits are 63, and a byte
 * with the type follows.
 * @param type below 256
 * @returns the end offset
 */
export function writeListed(
  out: DataView,
  at: number,
  position: number,
  type: number,
  timestamp: bigint,
  flags: number,
): number {
  let end = at;
  let remaining = position;
  for (; remaining >= 0x80; remaining >>>= 7) out.setUint8(end++, (remaining & 0x7f) | 0x80);
  out.setUint8(end++, remaining);
  if (type < MIN_LONG_TYPE) out.setUint8(end++, type | flags);
  else {
    out.setUint8(end++, MIN_LONG_TYPE | flags);
    out.setUint8(end++, type);
  }
  out.setBigInt64(end, timestamp);
  return end + 8;
}

/**
 * Counts transactions with a flag, without creating objects.
 * @param flag one of `listedFlags`
 * @param maxTimestamp ms
 */
export function countListed(
  bytes: Uint8Array,
  flag: number,
  isCounted: (type: number) => boolean,
  maxTimestamp?: bigint,
): number {
  const view =
    maxTimestamp === undefined ? undefined : new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let count = 0;
  for (let at = 0; at < bytes.length; at += 8) {
    while (bytes[at++] >= 0x80);
    const flags = bytes[at++];
    const type = (flags & TYPE_MASK) === MIN_LONG_TYPE ? bytes[at++] : flags & TYPE_MASK;
    if ((flags & flag) === 0 || !isCounted(type)) continue;
    if (view === undefined || maxTimestamp === undefined || view.getBigInt64(at) <= maxTimestamp) count++;
  }
  return count;
}

/** Calls `visit` with the type of each transaction in the range of bytes that has the flag (one of `listedFlags`). */
export function visitListedTypes(
  bytes: Uint8Array,
  from: number,
  to: number,
  flag: number,
  visit: (type: number) => void,
): void {
  for (let at = from; at < to; at += 8) {
    while (bytes[at++] >= 0x80);
    const flags = bytes[at++];
    const type = (flags & TYPE_MASK) === MIN_LONG_TYPE ? bytes[at++] : flags & TYPE_MASK;
    if ((flags & flag) !== 0) visit(type);
  }
}

/** @param maxTimestamp of the returned transactions, ms */
export function listedTransactions(bytes: Uint8Array, maxTimestamp?: bigint): ListedTransaction[] {
  const list: ListedTransaction[] = [];
  const max = maxTimestamp === undefined ? Number.POSITIVE_INFINITY : Number(maxTimestamp);
  const reader = new ByteReader(bytes);
  while (reader.remaining > 0) {
    const position = readVarint(reader);
    const flags = reader.u8();
    const type = (flags & TYPE_MASK) === MIN_LONG_TYPE ? reader.u8() : flags & TYPE_MASK;
    const high = reader.i32();
    const low = reader.u32();
    // Most transactions can be omitted without a `BigInt`: below 2^53, numbers are exact.
    const approximate = high * 2 ** 32 + low;
    const isExact = Number.isSafeInteger(approximate);
    if (isExact && approximate > max) continue;
    const timestamp = isExact ? BigInt(approximate) : (BigInt(high) << 32n) + BigInt(low);
    if (!isExact && maxTimestamp !== undefined && timestamp > maxTimestamp) continue;
    list.push({
      position,
      type,
      timestamp,
      inNodeList: (flags & listedFlags.node) !== 0,
      inGroups: (flags & listedFlags.groups) !== 0,
    });
  }
  return list;
}
