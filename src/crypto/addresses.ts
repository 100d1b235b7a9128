/** Page 01 §8. */
import { decodeBase58, encodeBase58 } from "../bytes/base58.ts";
import { bytesEqual } from "../bytes/compare.ts";
import { DecodeError } from "../bytes/errors.ts";
import { int8 } from "../bytes/int64.ts";
import { secureHash } from "./hashes.ts";

/** Version, chain id, 20 bytes of the key's hash, 4 bytes of checksum. */
export const ADDRESS_LENGTH = 26;

const VERSION = 1;
const HASH_END = 22;
const MAX_TEXT_LENGTH = 36;
const TEXT_PREFIX = "address:";

/** Reused, because creating typed arrays takes longer than hashing. */
const checksumInput = new Uint8Array(HASH_END);
const checksumHash = new Uint8Array(32);

/** The message is the protocol's error text. */
export class InvalidAddressError extends Error {
  override readonly name: string = "InvalidAddressError";
}

/** The address has fewer than two bytes. */
export class ShortAddressError extends InvalidAddressError {
  override readonly name = "ShortAddressError";

  constructor() {
    super("java.util.NoSuchElementException: next on empty iterator");
  }
}

/** Formats a chain id like `76(L)`. A negative byte is shown as a character from U+FF80 to U+FFFF. */
function chainIdText(byte: number): string {
  return `${int8(byte)}(${String.fromCharCode(int8(byte) & 0xffff)})`;
}

/** Cached, because checking a block derives the same address several times. */
let lastDerived = { key: new Uint8Array(0), chainId: -1, address: new Uint8Array(0) };

/**
 * Returns the address of a key of any type. Several calls may return the same array.
 * @param publicKey any number of bytes
 * @param chainId 0 to 255
 */
export function addressOf(publicKey: Uint8Array, chainId: number): Uint8Array {
  if (chainId === lastDerived.chainId && bytesEqual(publicKey, lastDerived.key)) return lastDerived.address;
  const address = new Uint8Array(ADDRESS_LENGTH);
  address[0] = VERSION;
  address[1] = chainId;
  address.set(secureHash(publicKey).subarray(0, 20), 2);
  address.set(secureHash(address.subarray(0, HASH_END)).subarray(0, 4), HASH_END);
  // The caller may reuse the key's bytes.
  lastDerived = { key: publicKey.slice(), chainId, address };
  return address;
}

/** @throws InvalidAddressError */
export function checkAddressBytes(bytes: Uint8Array, chainId: number): void {
  if (bytes.length < 2) throw new ShortAddressError();
  if (bytes[0] !== VERSION) throw new InvalidAddressError(`Unknown address version: ${int8(bytes[0])}`);
  if (bytes[1] !== chainId) {
    throw new InvalidAddressError(
      `Data from other network: expected: ${chainIdText(chainId)}, actual: ${chainIdText(bytes[1])}`,
    );
  }
  if (bytes.length !== ADDRESS_LENGTH) {
    throw new InvalidAddressError(
      `Wrong addressBytes length: expected: ${ADDRESS_LENGTH}, actual: ${bytes.length}`,
    );
  }
  for (let i = 0; i < HASH_END; i++) checksumInput[i] = bytes[i];
  secureHash(checksumInput, checksumHash);
  for (let i = 0; i < 4; i++) {
    if (checksumHash[i] !== bytes[HASH_END + i]) throw new InvalidAddressError("Bad address checksum");
  }
}

export function stripAddressPrefix(text: string): string {
  return text.startsWith(TEXT_PREFIX) ? text.slice(TEXT_PREFIX.length) : text;
}

/**
 * Parses an address in Base58, with or without the prefix `address:`.
 * @throws like `checkAddressBytes`
 */
export function parseAddress(text: string, chainId: number): Uint8Array {
  const plain = stripAddressPrefix(text);
  if (plain.length > MAX_TEXT_LENGTH) {
    throw new InvalidAddressError(
      `Wrong address string length: max=${MAX_TEXT_LENGTH}, actual: ${plain.length}`,
    );
  }
  let bytes: Uint8Array;
  try {
    bytes = decodeBase58(plain, MAX_TEXT_LENGTH);
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw new InvalidAddressError(`Unable to decode base58: ${error.message}`);
  }
  checkAddressBytes(bytes, chainId);
  return bytes;
}

export function tryParseAddress(text: string, chainId: number): Uint8Array | undefined {
  try {
    return parseAddress(text, chainId);
  } catch (error) {
    if (error instanceof InvalidAddressError) return undefined;
    throw error;
  }
}

export function addressText(address: Uint8Array): string {
  return encodeBase58(address);
}
