import { encodeBase58 } from "../bytes/base58.ts";
import { bytesEqual } from "../bytes/compare.ts";
import type { ByteReader } from "../bytes/reader.ts";
import { ADDRESS_LENGTH, addressOf, addressText, checkAddressBytes } from "../crypto/addresses.ts";
import type { KeyType, KeyTypeInfo, PublicKey } from "../crypto/key-types.ts";

/** Slots of each cache, a power of two. */
const SLOT_COUNT = 8192;

/** Uses bytes 3 to 5: keys are nearly random from byte 1, and addresses from byte 2. */
function slotOf(bytes: Uint8Array, at: number): number {
  return (bytes[at + 3] | (bytes[at + 4] << 8) | (bytes[at + 5] << 16)) & (SLOT_COUNT - 1);
}

function matchesAt(bytes: Uint8Array, at: number, cached: Uint8Array): boolean {
  const { length } = cached;
  for (let i = 0; i < length; i++) if (cached[i] !== bytes[at + i]) return false;
  return true;
}

interface CachedAccount {
  readonly key: PublicKey;
  address: Uint8Array | undefined;
  chainId: number;
  /** Base58. */
  keyText: string | undefined;
  /** Base58. */
  addressText: string | undefined;
}

interface CachedAddress {
  readonly bytes: Uint8Array;
  text: string | undefined;
}

const accounts: (CachedAccount | undefined)[] = new Array(SLOT_COUNT).fill(undefined);
const addresses: (CachedAddress | undefined)[] = new Array(SLOT_COUNT).fill(undefined);

/** Copies the key, because a view would keep the whole buffer alive. */
function cacheKey(slot: number, keyType: KeyType, bytes: Uint8Array): CachedAccount {
  const cached = {
    key: { keyType, bytes: new Uint8Array(bytes) },
    address: undefined,
    chainId: 0,
    keyText: undefined,
    addressText: undefined,
  };
  accounts[slot] = cached;
  return cached;
}

/** Like `addressOf`, with a cache. Do not change the result. */
export function cachedAddressOf({ keyType, bytes }: PublicKey, chainId: number): Uint8Array {
  const slot = slotOf(bytes, 0);
  let cached = accounts[slot];
  if (cached === undefined || (cached.key.bytes !== bytes && !bytesEqual(cached.key.bytes, bytes)))
    cached = cacheKey(slot, keyType, bytes);
  if (cached.address === undefined || cached.chainId !== chainId) {
    const address = addressOf(bytes, chainId);
    // If possible, the same object as that of `readAddress`: maps by object then need fewer lookups by text.
    cached.address = cachedAddress(address, 0, chainId) ?? cacheAddress(address);
    cached.addressText = undefined;
    cached.chainId = chainId;
  }
  return cached.address;
}

/** Reads a key. Usually returns the same object for the same key: do not change it. */
export function readKey(reader: ByteReader, { name, publicKeyLength }: KeyTypeInfo): PublicKey {
  const { source, position } = reader;
  reader.skip(publicKeyLength);
  const slot = slotOf(source, position);
  const cached = accounts[slot];
  if (
    cached !== undefined &&
    cached.key.keyType === name &&
    // `cachedAddressOf` also caches keys of another length.
    cached.key.bytes.length === publicKeyLength &&
    matchesAt(source, position, cached.key.bytes)
  )
    return cached.key;
  return cacheKey(slot, name, source.subarray(position, position + publicKeyLength)).key;
}

/** Slots of `validAddresses`, a power of two. Bytes need less memory than objects, so there can be more of them. */
const VALID_SLOT_COUNT = 65_536;
/** Addresses whose checksum was valid, by the hash's first bytes. Allocated on first use. */
let validAddresses: Uint8Array | undefined;

/** Like `checkAddressBytes`, but computes the checksum only for addresses that were not checked recently. */
function checkAddressOnce(address: Uint8Array, chainId: number): void {
  validAddresses ??= new Uint8Array(VALID_SLOT_COUNT * ADDRESS_LENGTH);
  const slot = (address[3] | (address[4] << 8)) & (VALID_SLOT_COUNT - 1);
  const at = slot * ADDRESS_LENGTH;
  // Free slots begin with 0, but no valid address does.
  if (address[0] !== 0 && address[1] === chainId && matchesAt(validAddresses, at, address)) return;
  checkAddressBytes(address, chainId);
  validAddresses.set(address, at);
}

/** Like `readKey`, for an address. @throws InvalidAddressError */
export function readAddress(reader: ByteReader, chainId: number): Uint8Array {
  const { source, position } = reader;
  reader.skip(ADDRESS_LENGTH);
  const cached = cachedAddress(source, position, chainId);
  if (cached !== undefined) return cached;
  const address = new Uint8Array(source.subarray(position, position + ADDRESS_LENGTH));
  checkAddressOnce(address, chainId);
  return cacheAddress(address);
}

function cachedAddress(source: Uint8Array, at: number, chainId: number): Uint8Array | undefined {
  const bytes = addresses[slotOf(source, at)]?.bytes;
  return bytes !== undefined && bytes[1] === chainId && matchesAt(source, at, bytes) ? bytes : undefined;
}

function cacheAddress(bytes: Uint8Array): Uint8Array {
  addresses[slotOf(bytes, 0)] = { bytes, text: undefined };
  return bytes;
}

/** Like `addressText`, with a cache for addresses from `readAddress`. */
export function addressTextOf(address: Uint8Array): string {
  const cached = addresses[slotOf(address, 0)];
  if (cached?.bytes !== address) return addressText(address);
  cached.text ??= addressText(address);
  return cached.text;
}

/** Like `addressText`, with a cache for addresses from `cachedAddressOf(key)`. */
export function senderTextOf(key: PublicKey, address: Uint8Array): string {
  const cached = accounts[slotOf(key.bytes, 0)];
  if (cached?.address !== address) return addressText(address);
  cached.addressText ??= addressText(address);
  return cached.addressText;
}

/** Returns a key in Base58, with a cache for keys from `readKey`. */
export function keyTextOf(key: PublicKey): string {
  const cached = accounts[slotOf(key.bytes, 0)];
  if (cached?.key !== key) return encodeBase58(key.bytes);
  cached.keyText ??= encodeBase58(key.bytes);
  return cached.keyText;
}
