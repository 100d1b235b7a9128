/**
 * Remembers keys and addresses that were read, computed or checked before. Computing and checking cost several
 * microseconds of hashing, and objects of their own for each transaction a good part of reading it; the same accounts
 * come again and again, and the results never change.
 */
import { bytesEqual } from "../bytes/compare.ts";
import type { ByteReader } from "../bytes/reader.ts";
import { ADDRESS_LENGTH, addressOf, checkAddressBytes } from "../crypto/addresses.ts";
import type { KeyType, KeyTypeInfo, PublicKey } from "../crypto/key-types.ts";

/** A power of two. Each slot holds one account; another one with the same slot takes its place. */
const SLOT_COUNT = 8192;

/** Slot of bytes, by some that are as good as random in keys (from 1 on) and addresses (from 2 on). */
function slotOf(bytes: Uint8Array, at: number): number {
  return (bytes[at + 3] | (bytes[at + 4] << 8) | (bytes[at + 5] << 16)) & (SLOT_COUNT - 1);
}

/** Whether `known` stands in the bytes at `at`. */
function matchesAt(bytes: Uint8Array, at: number, known: Uint8Array): boolean {
  const { length } = known;
  for (let i = 0; i < length; i++) if (known[i] !== bytes[at + i]) return false;
  return true;
}

interface CachedAccount {
  readonly key: PublicKey;
  /** Of the key on the network `chainId`; undefined until somebody asks. */
  address: Uint8Array | undefined;
  chainId: number;
}

const accounts: (CachedAccount | undefined)[] = new Array(SLOT_COUNT).fill(undefined);
const addresses: (Uint8Array | undefined)[] = new Array(SLOT_COUNT).fill(undefined);

/** Remembers a key: a copy, since a view would keep all that it is a view of. */
function remember(slot: number, keyType: KeyType, bytes: Uint8Array): CachedAccount {
  const known = { key: { keyType, bytes: new Uint8Array(bytes) }, address: undefined, chainId: 0 };
  accounts[slot] = known;
  return known;
}

/** The address of a public key, as `addressOf` gives it. Do not change it. */
export function cachedAddressOf({ keyType, bytes }: PublicKey, chainId: number): Uint8Array {
  const slot = slotOf(bytes, 0);
  let known = accounts[slot];
  if (known === undefined || (known.key.bytes !== bytes && !bytesEqual(known.key.bytes, bytes)))
    known = remember(slot, keyType, bytes);
  if (known.address === undefined || known.chainId !== chainId) {
    known.address = addressOf(bytes, chainId);
    known.chainId = chainId;
  }
  return known.address;
}

/** The key of this type that the reader comes to: the same object for the same key, as a rule. Do not change it. */
export function readKey(reader: ByteReader, { name, publicKeyLength }: KeyTypeInfo): PublicKey {
  const { source, position } = reader;
  reader.skip(publicKeyLength);
  const slot = slotOf(source, position);
  const known = accounts[slot];
  if (
    known !== undefined &&
    known.key.keyType === name &&
    // A key that did not come from bytes can have any length.
    known.key.bytes.length === publicKeyLength &&
    matchesAt(source, position, known.key.bytes)
  )
    return known.key;
  return remember(slot, name, source.subarray(position, position + publicKeyLength)).key;
}

/**
 * The address of the network that the reader comes to, checked as `checkAddressBytes` does it: the same object for the
 * same address, as a rule. Do not change it.
 * @throws InvalidAddressError
 */
export function readAddress(reader: ByteReader, chainId: number): Uint8Array {
  const { source, position } = reader;
  reader.skip(ADDRESS_LENGTH);
  const slot = slotOf(source, position);
  const known = addresses[slot];
  if (known !== undefined && known[1] === chainId && matchesAt(source, position, known)) return known;
  const address = new Uint8Array(source.subarray(position, position + ADDRESS_LENGTH));
  checkAddressBytes(address, chainId);
  addresses[slot] = address;
  return address;
}
