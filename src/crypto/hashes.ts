/**
 * The protocol's 32-byte hashes, from libsodium, Node's OpenSSL and WebAssembly. `fastHash` is BLAKE2b-256 (not a
 * truncated BLAKE2b-512). `secureHash` is SHA-256 of `fastHash`. Page 01 §4. Browser bundles replace this file with
 * `portable-hashes.ts`.
 */
import { createHash } from "node:crypto";
import { createRequire } from "node:module";
import { keccak_256 } from "@noble/hashes/sha3.js";
import { copyIfShared, sodiumSha256 } from "./sodium.ts";

export { blake2b256 as fastHash, sodiumDoubleHash as secureHash } from "./sodium.ts";

type Keccak = Awaited<ReturnType<typeof import("hash-wasm").createKeccak>>;
let keccak: Keccak | undefined;
let loading: Promise<void> | undefined;

/** Makes `keccak256` use WebAssembly. */
export function loadKeccak(): Promise<void> {
  loading ??= createKeccak().then((loaded) => {
    keccak = loaded;
  });
  return loading;
}

function createKeccak(): Promise<Keccak> {
  // Loading only this hash takes 3 ms, the whole package 50 ms.
  const hashes = createRequire(import.meta.url)(
    "hash-wasm/dist/keccak.umd.min.js",
  ) as typeof import("hash-wasm");
  return hashes.createKeccak(256);
}

/**
 * The original Keccak-256. `node:crypto` has only SHA-3, which pads differently. The first call starts to load the
 * WebAssembly; until it is compiled, slower JavaScript computes the hash.
 */
export function keccak256(bytes: Uint8Array): Uint8Array {
  if (keccak !== undefined) return keccak.init().update(bytes).digest("binary");
  void loadKeccak();
  return keccak_256(bytes);
}

/** For at least this many bytes, OpenSSL is faster. */
const MIN_OPENSSL_LENGTH = 2_048;

export function sha256(bytes: Uint8Array): Uint8Array {
  if (bytes.length < MIN_OPENSSL_LENGTH) return sodiumSha256(bytes);
  return Uint8Array.from(createHash("sha256").update(copyIfShared(bytes)).digest());
}
