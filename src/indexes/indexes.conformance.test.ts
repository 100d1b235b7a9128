/** The parts of the indexer that need no chain: the tables of `index-routes.json`. Page 07. */
import { beforeAll, describe, expect, it } from "vitest";
import { hasVectors, loadVectors } from "../../test/vectors.ts";
import { decodeBase58, encodeBase58 } from "../bytes/base58.ts";
import { encodeHex } from "../bytes/hex.ts";
import { addressOf, addressText } from "../crypto/addresses.ts";
import type { KeyType } from "../crypto/key-types.ts";
import { x25519Of } from "../crypto/x25519.ts";
import { definitions, requireDefinition } from "../transactions/index.ts";
import { didDocument } from "./identities/did-document.ts";
import { allRelationships, relationshipBits } from "./identities/did-records.ts";
import { derivedAddress } from "./identities/did-resolution.ts";
import { transactionGroups } from "./transactions/groups.ts";

interface Vectors {
  readonly derivedAddressVectors: readonly {
    readonly publicKey: string;
    readonly secret: string;
    readonly secretHex: string;
    readonly controller: string;
    readonly derived: string;
  }[];
  readonly keyAgreementVectors: readonly { readonly ed25519: string; readonly x25519: string }[];
  readonly addressVectors: readonly { readonly publicKey: string; readonly T: string; readonly L: string }[];
  readonly transactionGroups: Readonly<Record<string, readonly number[] | string>>;
  readonly relationshipBits: Readonly<Record<string, number>>;
  readonly verificationKeyTypes: Readonly<Record<string, string>>;
}

describe.skipIf(!hasVectors("index-routes.json"))("tables of the indexer", () => {
  let vectors: Vectors;
  beforeAll(() => {
    vectors = loadVectors<Vectors>("index-routes.json");
  });

  it("derives addresses", () => {
    expect(vectors.derivedAddressVectors.length).toBeGreaterThan(0);
    for (const { publicKey, secret, secretHex, controller, derived } of vectors.derivedAddressVectors) {
      const bytes = decodeBase58(secret, 1_000);
      expect(encodeHex(bytes)).toBe(secretHex);
      const address = derivedAddress(decodeBase58(controller, 1_000), decodeBase58(publicKey, 1_000), bytes);
      expect(addressText(address)).toBe(derived);
    }
  });

  it("converts signing keys to exchange keys", () => {
    expect(vectors.keyAgreementVectors.length).toBeGreaterThan(0);
    for (const { ed25519, x25519 } of vectors.keyAgreementVectors) {
      const key = x25519Of(decodeBase58(ed25519, 1_000));
      expect(key && encodeBase58(key)).toBe(x25519);
    }
  });

  it("finds the addresses of keys", () => {
    expect(vectors.addressVectors.length).toBeGreaterThan(0);
    for (const { publicKey, T, L } of vectors.addressVectors) {
      const on = (network: string) =>
        addressText(addressOf(decodeBase58(publicKey, 1_000), network.charCodeAt(0)));
      expect({ T: on("T"), L: on("L") }).toEqual({ T, L });
    }
  });

  it("groups transactions, payments with transfers (page 02 §10.17)", () => {
    const typesOf = (name: string) =>
      definitions.filter(({ groups }) => groups?.includes(name)).map(({ type }) => type);
    const own = transactionGroups.map((name) => [
      name,
      name === "all" ? "every type" : typesOf(name).filter((type) => type !== 2),
    ]);
    expect(own).toEqual(Object.entries(vectors.transactionGroups));
    expect(requireDefinition(2).groups).toEqual(requireDefinition(4).groups);
  });

  it("knows the bits of relationships", () => {
    const { implicit, onlyDeactivate, ...bits } = vectors.relationshipBits;
    expect({ ...relationshipBits }).toEqual({ ...bits });
    expect(allRelationships).toBe(implicit);
    expect(onlyDeactivate).toBe(relationshipBits.capabilityInvocation | 0x1000);
  });

  it("names key types", () => {
    const { x25519, ...types } = vectors.verificationKeyTypes;
    expect(Object.keys(types).length).toBeGreaterThan(0);
    for (const [keyType, name] of Object.entries(types)) {
      const publicKey = decodeBase58(vectors.keyAgreementVectors[0].ed25519, 1_000);
      const address = addressOf(publicKey, "T".charCodeAt(0));
      const facts = {
        key: () => ({ keyType: keyType as KeyType, publicKey, created: 0n }),
        methods: () => [],
        services: () => [],
        deactivation: () => undefined,
      };
      const document = didDocument(facts, "did:lto:", address, 1n, { id: "did:lto:x" });
      expect(document).toMatchObject({
        verificationMethod: [{ type: name }],
        keyAgreement: keyType === "ed25519" ? [{ type: x25519 }] : [expect.any(String)],
      });
    }
  });
});
