/** The browser implementation gives the same results as the native libraries. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { hasVectors, loadVectors } from "../../test/vectors.ts";
import { decodeHex } from "../bytes/hex.ts";
import { ecdsaSign } from "./ecdsa.ts";
import type { EcdsaKeyType } from "./ecdsa-form.ts";
import * as nativeHashes from "./hashes.ts";
import * as nativeSignatures from "./native.ts";
import * as portableSignatures from "./portable.ts";
import * as portableHashes from "./portable-hashes.ts";
import { ecdsaPublicKey } from "./testing/ecdsa-public-key.ts";

const native = { ...nativeSignatures, ...nativeHashes };
const portable = { ...portableSignatures, ...portableHashes };

interface Entry {
  readonly kind: string;
  readonly keyType?: EcdsaKeyType;
  readonly publicKeyHex: string;
  readonly messageHex: string;
  readonly signatureHex: string;
  readonly valid: boolean;
}

test("native and portable have the same exports, and browser bundles use portable", async () => {
  expect(Object.keys(portable).sort()).toEqual(Object.keys(native).sort());
  const { default: description } = await import("../../package.json", { with: { type: "json" } });
  expect(description.browser).toEqual({
    "./dist/crypto/native.js": "./dist/crypto/portable.js",
    "./dist/crypto/hashes.js": "./dist/crypto/portable-hashes.js",
    "./src/crypto/native.ts": "./src/crypto/portable.ts",
    "./src/crypto/hashes.ts": "./src/crypto/portable-hashes.ts",
  });
});

describe.runIf(hasVectors("crypto.json"))("recorded verdicts", () => {
  const entries = hasVectors("crypto.json") ? loadVectors<Entry[]>("crypto.json") : [];

  test.each(["ed25519-verify", "ecdsa-verify"])("of %s", (kind) => {
    const own = entries.filter((entry) => entry.kind === kind);
    expect(own.length).toBeGreaterThan(10);
    for (const { keyType, publicKeyHex, messageHex, signatureHex, valid } of own) {
      const given = [decodeHex(publicKeyHex), decodeHex(messageHex), decodeHex(signatureHex)] as const;
      const verdict =
        keyType === undefined || kind === "ed25519-verify"
          ? portable.verifyEd25519(...given)
          : portable.verifyEcdsa(keyType, ...given);
      expect(verdict, `key ${publicKeyHex}, signature ${signatureHex}`).toBe(valid);
    }
  });
});

test("hashes, key pairs and signatures match the native libraries", () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 3_000 }),
      fc.uint8Array({ minLength: 32, maxLength: 32 }),
      (bytes, seed) => {
        expect(portable.fastHash(bytes)).toEqual(native.fastHash(bytes));
        expect(portable.sha256(bytes)).toEqual(native.sha256(bytes));
        expect(portable.keccak256(bytes)).toEqual(native.keccak256(bytes));
        expect(portable.secureHash(bytes)).toEqual(native.secureHash(bytes));
        const digest = new Uint8Array(32);
        expect(portable.secureHash(bytes, digest)).toBe(digest);
        expect(digest).toEqual(native.secureHash(bytes));
        const pair = portable.ed25519KeyPair(seed);
        expect(pair).toEqual(native.ed25519KeyPair(seed));
        expect(portable.ed25519Sign(bytes, pair.secretKey)).toEqual(
          native.ed25519Sign(bytes, pair.secretKey),
        );
      },
    ),
    { seed: 1, numRuns: 20 },
  );
});

test.each(["secp256k1", "secp256r1"] as const)("%s: accepts a signature and rejects any change", (type) => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 50 }), fc.nat(3), fc.nat(599), (message, seed, bit) => {
      const privateKey = native.sha256(Uint8Array.of(seed));
      const key = ecdsaPublicKey(type, privateKey);
      const signature = ecdsaSign(type, privateKey, message);
      expect(portable.verifyEcdsa(type, key, message, signature)).toBe(true);
      // After the bits of the signature come those of the key.
      if (bit < 512) signature[bit >> 3] ^= 1 << (bit & 7);
      else key[(bit - 512) >> 3] ^= 1 << (bit & 7);
      const verdict = native.verifyEcdsa(type, key, message, signature);
      expect(verdict).toBe(false);
      expect(portable.verifyEcdsa(type, key, message, signature)).toBe(verdict);
    }),
    { seed: 1, numRuns: 15 },
  );
});
