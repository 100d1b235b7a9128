import { createRequire } from "node:module";
import { type MockInstance, vi } from "vitest";

interface Library {
  crypto_sign_verify_detached(signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array): boolean;
}

const library = createRequire(import.meta.url)("sodium-native") as Library;

/** Spies on the library's checks of ed25519 signatures in this thread, until `mockRestore` is called. */
export function watchSignatureChecks(): MockInstance<Library["crypto_sign_verify_detached"]> {
  return vi.spyOn(library, "crypto_sign_verify_detached");
}
