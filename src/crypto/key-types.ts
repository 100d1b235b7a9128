/** Page 01 §5. */
import { int8 } from "../bytes/int64.ts";

export type KeyType = "ed25519" | "secp256k1" | "secp256r1" | "bls12-381";

export interface KeyTypeInfo {
  readonly name: KeyType;
  /** Id in serialized data. */
  readonly id: number;
  /** Bytes. ECDSA keys are compressed points. */
  readonly publicKeyLength: number;
}

/** In serialized data, the key type decides a key's length. Keys from Base58 text can have any length. */
export interface PublicKey {
  readonly keyType: KeyType;
  readonly bytes: Uint8Array;
}

/** The message is the protocol's text. */
export class UnknownKeyTypeError extends Error {
  override readonly name = "UnknownKeyTypeError";
}

export const keyTypes: readonly KeyTypeInfo[] = [
  { name: "ed25519", id: 1, publicKeyLength: 32 },
  { name: "secp256k1", id: 2, publicKeyLength: 33 },
  { name: "secp256r1", id: 3, publicKeyLength: 33 },
  { name: "bls12-381", id: 4, publicKeyLength: 48 },
];

const byName: ReadonlyMap<string, KeyTypeInfo> = new Map(keyTypes.map((info) => [info.name, info]));

function findKeyType(name: string, originalName: string): KeyTypeInfo {
  const info = byName.get(name);
  if (info === undefined) throw new UnknownKeyTypeError(`Unknown key type '${originalName}'`);
  return info;
}

export function keyTypeInfo(keyType: KeyType): KeyTypeInfo {
  return findKeyType(keyType, keyType);
}

/** @throws UnknownKeyTypeError */
export function keyTypeById(id: number): KeyTypeInfo {
  const info = keyTypes[id - 1];
  if (info === undefined) throw new UnknownKeyTypeError(`Unknown key type id ${int8(id)}`);
  return info;
}

/**
 * Finds a key type by name, ignoring case.
 * @throws UnknownKeyTypeError
 */
export function keyTypeByName(name: string): KeyTypeInfo {
  return findKeyType(name.toLowerCase(), name);
}
