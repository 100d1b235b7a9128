/**
 * What is done by libraries that are no JavaScript: libsodium, the OpenSSL that Node.js has, and WebAssembly. It is the seam between the
 * protocol and its platform: a bundle for browsers takes `portable.ts` in this file's place (the member `browser` of
 * package.json says so), which exports the same under the same names. A node pays nothing for that.
 */
import { createHash } from "node:crypto";
import { copyIfShared, sodiumSha256 } from "./sodium.ts";

export { ecdsaAccepts } from "./ecdsa-openssl.ts";
export { ed25519Valid } from "./ed25519.ts";
export { keccak256 } from "./keccak.ts";
export { blake2b256, ed25519KeyPair, ed25519Sign, sodiumDoubleHash as doubleHash } from "./sodium.ts";

/** From this length on OpenSSL, which uses the processor's own instructions, makes up for its dearer call. */
const LONG = 2_048;

/** SHA-256, 32 bytes. */
export function sha256(bytes: Uint8Array): Uint8Array {
  if (bytes.length < LONG) return sodiumSha256(bytes);
  return Uint8Array.from(createHash("sha256").update(copyIfShared(bytes)).digest());
}
