/**
 * Caches keys and addresses. Accounts recur: hashing costs several microseconds, and allocating keys and addresses is a
 * large part of reading a transaction.
 */
import { bytesEqual } from "../bytes/compare.ts";
import type { ByteReader } from "../bytes/reader.ts";
import { ADDRESS_LENGTH, addressOf, checkAddressBytes } from "../crypto/addresses.ts";
import type { KeyType, KeyTypeInfo, PublicKey } from "../crypto/key-types.ts";

/** A power of two. A new account evicts the one in its slot. */
const SLOT_COUNT = 8192;

/** Uses nearly random bytes of keys (from 1 on) and addresses (from 2 on). */
function slotOf(bytes: Uint8Array, at: number): number {
  return (bytes[at + 3] | (bytes[at + 4] << 8) | (bytes[at + 5] << 16)) & (SLOT_COUNT - 1);
}

function matchesAt(bytes: Uint8Array, at: number, known: Uint8Array): boolean {
  const { length } = known;
  for (let i = 0; i < length; i++) if (known[i] !== bytes[at + i]) return false;
  return true;
}

interface CachedAccount {
  readonly key: PublicKey;
  /** Address on network `chainId`; undefined until needed. */
  address: Uint8Array | undefined;
  chainId: number;
}

const accounts: (CachedAccount | undefined)[] = new Array(SLOT_COUNT).fill(undefined);
const addresses: (Uint8Array | undefined)[] = new Array(SLOT_COUNT).fill(undefined);

/** Copies the key: a view would keep its whole buffer alive. */
function remember(slot: number, keyType: KeyType, bytes: Uint8Array): CachedAccount {
  const known = { key: { keyType, bytes: new Uint8Array(bytes) }, address: undefined, chainId: 0 };
  accounts[slot] = known;
  return known;
}

/** Like `addressOf`. Do not change the result. */
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

/** Usually returns the same object for the same key. Do not change it. */
export function readKey(reader: ByteReader, { name, publicKeyLength }: KeyTypeInfo): PublicKey {
  const { source, position } = reader;
  reader.skip(publicKeyLength);
  const slot = slotOf(source, position);
  const known = accounts[slot];
  if (
    known !== undefined &&
    known.key.keyType === name &&
    // Keys that were not read from bytes can have any length.
    known.key.bytes.length === publicKeyLength &&
    matchesAt(source, position, known.key.bytes)
  )
    return known.key;
  return remember(slot, name, source.subarray(position, position + publicKeyLength)).key;
}

/**
 * Reads and checks an address like `checkAddressBytes`. Usually returns the same object for the same address. Do not
 * change it.
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
