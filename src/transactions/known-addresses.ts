/**
 * Remembers addresses that were computed or checked before. Both cost several microseconds of hashing, the same
 * accounts come again and again, and the results never change.
 */
import { bytesEqual } from "../bytes/compare.ts";
import { addressOf, checkAddressBytes } from "../crypto/addresses.ts";

/** A power of two. Each slot holds one account; another one with the same slot takes its place. */
const SLOTS = 8192;

/** Slot of bytes, by some that are as good as random in keys (from 1 on) and addresses (from 2 on). */
function slotOf(bytes: Uint8Array): number {
  return (bytes[3] | (bytes[4] << 8) | (bytes[5] << 16)) & (SLOTS - 1);
}

interface KnownKey {
  readonly key: Uint8Array;
  readonly chainId: number;
  readonly address: Uint8Array;
}

const keys: (KnownKey | undefined)[] = new Array(SLOTS).fill(undefined);
const addresses: (Uint8Array | undefined)[] = new Array(SLOTS).fill(undefined);

/** The address of a public key, as `addressOf` gives it. Do not change it. */
export function knownAddressOf(key: Uint8Array, chainId: number): Uint8Array {
  const slot = slotOf(key);
  const known = keys[slot];
  if (known !== undefined && known.chainId === chainId && bytesEqual(known.key, key)) return known.address;
  const address = addressOf(key, chainId);
  // Copies, since a view would keep all that it is a view of.
  keys[slot] = { key: Uint8Array.from(key), chainId, address };
  return address;
}

/**
 * Returns when the bytes are an address of the network, as `checkAddressBytes` does.
 * @throws InvalidAddressError
 */
export function requireAddress(bytes: Uint8Array, chainId: number): void {
  const slot = slotOf(bytes);
  const known = addresses[slot];
  if (known !== undefined && known[1] === chainId && bytesEqual(known, bytes)) return;
  checkAddressBytes(bytes, chainId);
  addresses[slot] = Uint8Array.from(bytes);
}
