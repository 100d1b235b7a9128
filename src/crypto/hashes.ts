/**
 * The protocol's 32-byte hashes. `fastHash` is BLAKE2b-256 (not a truncated BLAKE2b-512). `secureHash` is SHA-256 of
 * `fastHash`. Page 01 §4.
 */
export { blake2b256 as fastHash, doubleHash as secureHash, keccak256, sha256 } from "./native.ts";
