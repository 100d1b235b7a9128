/** Signatures from libsodium and Node's OpenSSL. Browser bundles replace this file with `portable.ts`. */
export { verifyEcdsa } from "./ecdsa-openssl.ts";
export { verifyEd25519 } from "./ed25519.ts";
export { ed25519KeyPair, ed25519Sign } from "./sodium.ts";
