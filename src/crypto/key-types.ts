/** The key types of the protocol. Page 01 §5. */
import { int8 } from "../bytes/int64.ts";

/** Name of a key type, as JSON shows it. */
export type KeyType = "ed25519" | "secp256k1" | "secp256r1" | "bls12-381";

/** What belongs to a key type. */
export interface KeyTypeInfo {
  readonly name: KeyType;
  /** The byte on the wire. */
  readonly id: number;
  /** Bytes of a public key: compressed points for the ECDSA curves. */
  readonly publicKeyLength: number;
}

/** A public key. From the wire `bytes` has the length of its type; from Base58 text it may have any length. */
export interface PublicKey {
  readonly keyType: KeyType;
  readonly bytes: Uint8Array;
}

/** A key type that the protocol does not know. The message is the protocol's text. */
export class UnknownKeyTypeError extends Error {
  override readonly name = "UnknownKeyTypeError";
}

/** All key types, in the order of their ids. */
export const keyTypes: readonly KeyTypeInfo[] = [
  { name: "ed25519", id: 1, publicKeyLength: 32 },
  { name: "secp256k1", id: 2, publicKeyLength: 33 },
  { name: "secp256r1", id: 3, publicKeyLength: 33 },
  { name: "bls12-381", id: 4, publicKeyLength: 48 },
];

const byName: ReadonlyMap<string, KeyTypeInfo> = new Map(keyTypes.map((info) => [info.name, info]));

/** @param given the name as the error shows it */
function findKeyType(name: string, given: string): KeyTypeInfo {
  const info = byName.get(name);
  if (info === undefined) throw new UnknownKeyTypeError(`Unknown key type '${given}'`);
  return info;
}

/** What belongs to the key type. */
export function keyTypeInfo(keyType: KeyType): KeyTypeInfo {
  return findKeyType(keyType, keyType);
}

/**
 * The key type of a byte on the wire.
 * @param id the byte, signed or unsigned
 * @throws UnknownKeyTypeError
 */
export function keyTypeById(id: number): KeyTypeInfo {
  const info = keyTypes[id - 1];
  if (info === undefined) throw new UnknownKeyTypeError(`Unknown key type id ${int8(id)}`);
  return info;
}

/**
 * The key type of a name of either case.
 * @throws UnknownKeyTypeError
 */
export function keyTypeByName(name: string): KeyTypeInfo {
  return findKeyType(name.toLowerCase(), name);
}
