import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { hasVectors, loadVectors } from "../../test/vectors.ts";
import { decodeBase64 } from "../bytes/base64.ts";
import { concatBytes } from "../bytes/compare.ts";
import { decodeHex, encodeHex } from "../bytes/hex.ts";
import { addressOf, addressText, checkAddressBytes, InvalidAddressError, parseAddress } from "./addresses.ts";
import { formatObjectIdentifier, readAsn1 } from "./asn1.ts";
import { isX509Structure } from "./certificate-structure.ts";
import { readTime } from "./certificate-time.ts";
import { certificateFields, certificateKey } from "./certificates.ts";
import { nameText, readName } from "./distinguished-name.ts";
import type { EcdsaKeyType } from "./ecdsa-form.ts";
import { fastHash, keccak256, secureHash, sha256 } from "./hashes.ts";
import { keyTypeById, keyTypeByName, keyTypeInfo, keyTypes } from "./key-types.ts";
import { parsePublicKey } from "./public-keys.ts";
import { keyPairFromSeed } from "./seeds.ts";
import { type KeyPair, sign, verify } from "./signatures.ts";
import { ecdsaPublicKey } from "./testing/ecdsa-public-key.ts";

const message = fc.uint8Array({ maxLength: 100 });
const options = { seed: 1, numRuns: 60 };

/** One of a few key pairs, as on a chain. */
function pairOf(keyType: EcdsaKeyType | "ed25519", seed: number): KeyPair {
  if (keyType === "ed25519") return keyPairFromSeed(Uint8Array.of(seed));
  const privateKey = sha256(Uint8Array.of(seed));
  return { keyType, privateKey, publicKey: ecdsaPublicKey(keyType, privateKey) };
}

describe("signatures", () => {
  test.each(["ed25519", "secp256k1", "secp256r1"] as const)(
    "%s: what is signed is valid, nothing else",
    (type) => {
      fc.assert(
        fc.property(message, fc.nat(5), fc.nat(511), (text, seed, bit) => {
          const pair = pairOf(type, seed);
          const key = { keyType: type, bytes: pair.publicKey };
          const signature = sign(pair, text);
          expect(signature).toHaveLength(64);
          expect(sign(pair, text)).toEqual(signature);
          expect(verify(key, text, signature)).toBe(true);
          expect(verify(key, concatBytes(text, Uint8Array.of(0)), signature)).toBe(false);
          expect(verify({ ...key, bytes: pairOf(type, seed + 1).publicKey }, text, signature)).toBe(false);
          const changed = signature.slice();
          changed[bit >> 3] ^= 1 << (bit & 7);
          expect(verify(key, text, changed)).toBe(false);
        }),
        options,
      );
    },
  );

  test("never throw for any key and signature", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...keyTypes),
        fc.uint8Array({ maxLength: 70 }),
        message,
        fc.uint8Array({ maxLength: 130 }),
        ({ name }, bytes, text, signature) => {
          expect(verify({ keyType: name, bytes }, text, signature)).toBe(false);
        },
      ),
      { seed: 1, numRuns: 2_000 },
    );
  });

  test("verify with key, message and signature in shared memory", () => {
    const shared = (bytes: Uint8Array) => {
      const copy = new Uint8Array(new SharedArrayBuffer(bytes.length));
      copy.set(bytes);
      return copy;
    };
    const text = Uint8Array.of(1, 2, 3);
    for (const type of ["ed25519", "secp256k1", "secp256r1"] as const) {
      const pair = pairOf(type, 1);
      const signature = sign(pair, shared(text));
      expect(verify({ keyType: type, bytes: shared(pair.publicKey) }, shared(text), shared(signature))).toBe(
        true,
      );
    }
    for (const hash of [fastHash, secureHash, sha256, keccak256])
      expect(hash(shared(text))).toEqual(hash(text));
  });

  test("accept ECDSA halves longer than 32 bytes with leading zeros", () => {
    const pair = pairOf("secp256k1", 1);
    const text = Uint8Array.of(1);
    const signature = sign(pair, text);
    const zero = Uint8Array.of(0);
    const longer = concatBytes(zero, signature.subarray(0, 32), zero, signature.subarray(32));
    const key = { keyType: "secp256k1" as const, bytes: pair.publicKey };
    expect(verify(key, text, longer)).toBe(true);
    // An odd last byte is ignored.
    expect(verify(key, text, concatBytes(longer, Uint8Array.of(9)))).toBe(true);
    longer[0] = 1;
    expect(verify(key, text, longer)).toBe(false);
  });

  test("are not supported for bls12-381", () => {
    const bytes = new Uint8Array(48);
    expect(verify({ keyType: "bls12-381", bytes }, bytes, new Uint8Array(96))).toBe(false);
    expect(() => sign({ keyType: "bls12-381", publicKey: bytes, privateKey: bytes }, bytes)).toThrow(
      "BLS12-381 signing is not supported in this context",
    );
  });
});

describe("key types", () => {
  test("are found by id and name", () => {
    expect(keyTypes.map(({ id }) => keyTypeById(id).name)).toEqual([
      "ed25519",
      "secp256k1",
      "secp256r1",
      "bls12-381",
    ]);
    expect(keyTypeByName("SECP256R1")).toBe(keyTypeInfo("secp256r1"));
    expect(() => keyTypeById(0)).toThrow("Unknown key type id 0");
    expect(() => keyTypeById(255)).toThrow("Unknown key type id -1");
    expect(() => keyTypeByName("RSA")).toThrow("Unknown key type 'RSA'");
    expect(parsePublicKey("").keyType).toBe("ed25519");
  });
});

describe("addresses", () => {
  test("round-trip on their own network only", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 50 }), fc.nat(255), fc.nat(25), (key, chainId, at) => {
        const address = addressOf(key, chainId);
        const text = addressText(address);
        expect(parseAddress(text, chainId)).toEqual(address);
        expect(parseAddress(`address:${text}`, chainId)).toEqual(address);
        expect(() => parseAddress(text, (chainId + 1) % 256)).toThrow("Data from other network");
        const changed = address.slice();
        changed[at] ^= 1;
        expect(() => checkAddressBytes(changed, chainId)).toThrow(InvalidAddressError);
      }),
      options,
    );
  });

  test("show a chain id above 127 as negative", () => {
    expect(() => checkAddressBytes(Uint8Array.of(1, 0x80), 0xff)).toThrow(
      "Data from other network: expected: -1(\uffff), actual: -128(\uff80)",
    );
  });
});

describe("certificates", () => {
  const certificates = hasVectors("state-scenarios.json")
    ? Object.values(
        loadVectors<{ certificates: Record<string, { derBase64: string }> }>("state-scenarios.json")
          .certificates,
      ).map(({ derBase64 }) => decodeBase64(derBase64))
    : [];

  test.skipIf(certificates.length === 0)("never throw, whatever is changed in them", () => {
    let accepted = 0;
    fc.assert(
      fc.property(fc.constantFrom(...certificates), fc.nat(), fc.nat(255), (bytes, position, value) => {
        const changed = bytes.slice();
        changed[position % bytes.length] = value;
        const structure = isX509Structure(changed);
        const key = certificateKey(changed);
        expect(key.ok ? key.value.bytes.length : key.error.length).toBeGreaterThan(0);
        // A certificate with a key can be shown.
        if (key.ok) expect(certificateFields(changed)).toBeDefined();
        if (structure) accepted++;
      }),
      { seed: 1, numRuns: 2_000 },
    );
    expect(accepted).toBeGreaterThan(0);
  });

  test("are rejected if they nest without end", () => {
    const nested = new Uint8Array(100_000).fill(0x30);
    for (let i = 1; i < nested.length; i += 2) nested[i] = 0x80;
    expect(isX509Structure(nested)).toBe(false);
    expect(certificateKey(nested)).toHaveProperty("error");
  });

  test("are accepted at the maximum size and depth", () => {
    let bytes: Uint8Array = Uint8Array.of(5, 0);
    while (bytes.length < 10_200) {
      const length = bytes.length < 128 ? [bytes.length] : [0x82, bytes.length >> 8, bytes.length & 255];
      bytes = concatBytes(Uint8Array.of(0x30, ...length), bytes);
    }
    expect(readAsn1(bytes).children).toHaveLength(1);
    expect(isX509Structure(bytes)).toBe(false);
  });

  test("print names in the form of RFC 1779", () => {
    // CN=hölder, OID=a@b.c, OU="R&D \"x\" + y", O="Example, Inc.", C=NL, as in page 06 §7.15.
    const attribute = (oid: string, tag: number, text: string) => {
      const value = new TextEncoder().encode(text);
      const id = decodeHex(oid);
      const inner = concatBytes(Uint8Array.of(6, id.length), id, Uint8Array.of(tag, value.length), value);
      return concatBytes(Uint8Array.of(0x31, inner.length + 2, 0x30, inner.length), inner);
    };
    const parts = concatBytes(
      attribute("550406", 19, "NL"),
      attribute("55040a", 12, "Example, Inc."),
      attribute("55040b", 12, 'R&D "x" + y'),
      attribute("2a864886f70d010901", 22, "a@b.c"),
      attribute("550403", 12, "hölder"),
    );
    const name = readName(readAsn1(concatBytes(Uint8Array.of(0x30, parts.length), parts)));
    expect(nameText(name)).toBe(
      'CN=hölder, OID.1.2.840.113549.1.9.1=a@b.c, OU="R&D \\"x\\" + y", O="Example, Inc.", C=NL',
    );
  });

  test.each([
    [23, "250604105711Z", Date.UTC(2025, 5, 4, 10, 57, 11)],
    [23, "2506041057Z", Date.UTC(2025, 5, 4, 10, 57)],
    [23, "500604105711+0130", Date.UTC(1950, 5, 4, 9, 27, 11)],
    [24, "30000213105711Z", Date.UTC(3000, 1, 13, 10, 57, 11)],
    [24, "20250604105711.25Z", Date.UTC(2025, 5, 4, 10, 57, 11, 250)],
    [24, "20250604105711-0100", Date.UTC(2025, 5, 4, 11, 57, 11)],
    [23, "251304105711Z", undefined],
    [23, "250600105711Z", undefined],
    [23, "250604245711Z", undefined],
    [23, "2506041057+0100", undefined],
    [23, "250604105711", undefined],
    [23, "25060410", undefined],
    [24, "20250604105711.Z", undefined],
    [24, "20250604105711.xZ", undefined],
    [24, "20250604105711+2500", undefined],
    [4, "250604105711Z", undefined],
  ])("read the time of tag %s: %s", (tag, text, expected) => {
    const content = new TextEncoder().encode(text);
    const element = readAsn1(concatBytes(Uint8Array.of(tag, content.length), content));
    if (expected === undefined) expect(() => readTime(element)).toThrow("a time");
    else expect(readTime(element)).toBe(expected);
  });

  test("print object identifiers", () => {
    expect(formatObjectIdentifier(decodeHex("2a8648ce3d0201"))).toBe("1.2.840.10045.2.1");
    expect(formatObjectIdentifier(decodeHex("883703"))).toBe("2.999.3");
    expect(encodeHex(readAsn1(decodeHex("0603550403")).content)).toBe("550403");
  });
});
