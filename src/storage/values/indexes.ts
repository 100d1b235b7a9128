/** Codecs of the index tables (`indexes/`); the tables themselves stand with all others in `tables.ts`. */

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
  listOf,
  optional,
  rest,
  sized,
  struct,
  structKey,
  structValue,
  text,
  u8,
  u32,
  varint,
} from "./fields.ts";

/** Positions of transactions in their block, ascending: varints */
export const positionsValue = fieldValue(listOf(varint));

/** A value that a mapped anchor has for a key. */
export interface MappedPair {
  /** Place of the transaction in its block. */
  readonly position: number;
  readonly sender: Uint8Array;
  readonly value: Uint8Array;
}

/** For each pair, by position: position varint, sender(26), value sized */
export const mappedPairsValue = fieldValue(
  listOf(struct<MappedPair>({ position: varint, sender: address, value: sized })),
);

/** What an account states about a credential. */
export interface CredentialStatementRow {
  /** Place of the transaction in its block. */
  readonly position: number;
  /** Type of the statement: page 07 §11.1. */
  readonly type: number;
  readonly sender: Uint8Array;
  /** Timestamp of the transaction, ms. */
  readonly timestamp: bigint;
}

/** For each statement, by position: position varint, type u8, sender(26), time i64 */
export const credentialStatementsValue = fieldValue(
  listOf(struct<CredentialStatementRow>({ position: varint, type: u8, sender: address, timestamp: i64 })),
);

const keyType: Field<KeyType> = {
  write: (writer, name) => writer.u8(keyTypeInfo(name).id),
  read: (reader) => keyTypeById(reader.u8()).name,
};

/** A public key as it was first seen in chain order. Page 07 §8.1. */
export interface FirstSeenKey {
  readonly keyType: KeyType;
  readonly publicKey: Uint8Array;
  /** Timestamp of the transaction that showed it first, ms. */
  readonly created: bigint;
}

/** key type u8, created i64, public key */
export const firstSeenKeyValue = structValue<FirstSeenKey>({ keyType, created: i64, publicKey: rest });

const hasExpiry = 1;
const hasDelay = 2;
const isCapability = 4;

/**
 * A verification method given or revoked, or (`capability`) the power to deactivate. Page 07 §8.3, §8.5.
 * Relationships are the bits of §8.3; a revoke has 0, or all five for the own key.
 */
export interface MethodRecord {
  readonly capability: boolean;
  readonly relationships: number;
  readonly recipient: Uint8Array;
  /** When it takes effect, ms: the transaction's timestamp, for a delayed revoke that much later. */
  readonly timestamp: bigint;
  readonly expires?: bigint | undefined;
  /** Delay in ms that a later revoke of this capability has to wait. */
  readonly revokeDelay?: bigint | undefined;
}

/** flags u8, relationships u16, recipient(26), timestamp i64, [expires i64], [revoke delay i64] */
export const methodValue = valueCodec<MethodRecord>(
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
export const addressEntryKey = structKey<AddressEntryKey>({ address, height: u32, position: u32, entry: u8 });

/** As text up to the end. A JSON object has at least two characters, so nothing left means a removal. */
const json: Field<string> = {
  write: (writer, value) => writer.bytes(encodeUtf8(value)),
  read: (reader) => decodeUtf8(reader.rest()),
};

/** A service of the sender's document, or its removal. Page 07 §8.6. */
export interface ServiceRecord {
  /** The id of the generated kind: `#` and the rest of the data key. */
  readonly fragment: string;
  /** Text of the JSON object, or undefined for a removal. */
  readonly json: string | undefined;
  readonly timestamp: bigint;
}

/** timestamp i64, fragment sized UTF-8, JSON text UTF-8 (none for a removal) */
export const serviceValue = structValue<ServiceRecord>({
  timestamp: i64,
  fragment: text,
  json: optional(json),
});

/** The deactivation of a DID: the first one that was allowed. Page 07 §8.5. */
export interface Deactivation {
  readonly sender: Uint8Array;
  readonly timestamp: bigint;
}

/** sender(26), timestamp i64 */
export const deactivationValue = structValue<Deactivation>({ sender: address, timestamp: i64 });

/** For each role in the order of first grant: name sized UTF-8, sender(26), type i64 */
export const rolesValue = fieldValue(listOf(struct<RoleGrant>({ role: text, sender: address, type: i64 })));

export interface AddressPair {
  readonly first: Uint8Array;
  readonly second: Uint8Array;
}

/** two addresses (26 each) */
export const addressPairKey = structKey<AddressPair>({ first: address, second: address });

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
export const listedFlags = { node: 0x80, groups: 0x40 } as const;
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
export function writeListed(
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
      inNodeList: (flags & listedFlags.node) !== 0,
      inGroups: (flags & listedFlags.groups) !== 0,
    };
  }
}
