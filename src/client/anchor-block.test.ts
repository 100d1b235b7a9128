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

describe("a transaction", () => {
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

  test("is signed by keys of each type, and by its sponsor", () => {
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

  test("anchors its hashes, and the values of its keys", () => {
    const mapped = buildTransaction({
      type: typeOf("mapped anchor"),
      sender: pairs[0],
      fee: 1n,
      timestamp: 1,
      chainId: 84,
      members: { anchors: [[KEY, HASH]] },
    });
    expect([anchorsHash(anchor(pairs[0]), HASH), anchorsHash(anchor(pairs[0]), KEY)]).toEqual([true, false]);
    expect([anchorsHash(mapped, HASH), anchorsHash(mapped, KEY)]).toEqual([true, false]);
  });
});
