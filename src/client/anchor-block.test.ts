import { describe, expect, test } from "vitest";
import { encodeUtf8 } from "../bytes/utf8.ts";
import { sha256 } from "../crypto/hashes.ts";
import { keyPairFromSeed } from "../crypto/seeds.ts";
import type { KeyPair } from "../crypto/signatures.ts";
import { ecdsaPublicKey } from "../crypto/testing/ecdsa-public-key.ts";
import { buildTransaction, typeOf } from "../testing/build-transaction.ts";
import { copyTransaction } from "../transactions/index.ts";
import { anchorsHash, signatureFault } from "./anchor-block.ts";

const HASH = sha256(Uint8Array.of(200));
const KEY = sha256(Uint8Array.of(201));

describe("anchor checks of a transaction", () => {
  const ecdsa = (keyType: "secp256k1" | "secp256r1"): KeyPair => {
    const privateKey = sha256(encodeUtf8(keyType));
    return { keyType, privateKey, publicKey: ecdsaPublicKey(keyType, privateKey) };
  };
  const pairs = [keyPairFromSeed(encodeUtf8("sender")), ecdsa("secp256k1"), ecdsa("secp256r1")];
  const anchor = (sender: KeyPair, sponsor?: KeyPair) =>
    buildTransaction({
      type: typeOf("anchor"),
      sender,
      sponsor,
      fee: 1n,
      timestamp: 1,
      chainId: 84,
      members: { anchors: [HASH] },
    });

  test("accept signatures of every key type, by sender and sponsor", () => {
    for (const [i, pair] of pairs.entries()) {
      const sponsor = pairs[(i + 1) % pairs.length];
      expect(signatureFault(anchor(pair))).toBeUndefined();
      expect(signatureFault(anchor(pair, sponsor))).toBeUndefined();
      const sponsored = anchor(pair, sponsor);
      const [own, its] = sponsored.proofs;
      expect(signatureFault(copyTransaction(sponsored, { proofs: [own] }))).toContain("its sponsor");
      expect(signatureFault(copyTransaction(sponsored, { proofs: [its] }))).toContain("its sender");
      expect(signatureFault(copyTransaction(anchor(pair), { proofs: [] }))).toContain("its sender");
      const wrong = own.map((byte, at) => (at === 40 ? byte ^ 1 : byte));
      expect(signatureFault(copyTransaction(anchor(pair), { proofs: [wrong] }))).toContain("its sender");
    }
  });

  test("find anchored hashes and the values of mapped anchors", () => {
    const mapped = buildTransaction({
      type: typeOf("mapped anchor"),
      sender: pairs[0],
      fee: 1n,
      timestamp: 1,
      chainId: 84,
      members: { anchors: [[KEY, HASH]] },
    });
    expect(anchorsHash(anchor(pairs[0]), HASH)).toBe(true);
    expect(anchorsHash(anchor(pairs[0]), KEY)).toBe(false);
    expect(anchorsHash(mapped, HASH)).toBe(true);
    expect(anchorsHash(mapped, KEY)).toBe(false);
  });
});
