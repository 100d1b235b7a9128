import { describe, expect, test } from "vitest";
import { encodeBase58 } from "../bytes/base58.ts";
import { encodeBase64 } from "../bytes/base64.ts";
import { concatBytes } from "../bytes/compare.ts";
import { encodeUtf8 } from "../bytes/utf8.ts";
import type { KeyType } from "../crypto/key-types.ts";
import { type KeyPair, sign } from "../crypto/signatures.ts";
import { ecdsaPublicKey } from "../crypto/testing/ecdsa-public-key.ts";
import { keyPairOf } from "../testing/dev-node.ts";
import { CredentialError, checkProof, parseCredential } from "./credential-proof.ts";

const DID = "did:lto:3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt";
const KEY_ID = `${DID}#sign`;
const codecs: Partial<Record<KeyType, readonly number[]>> = {
  ed25519: [0xed, 0x01],
  secp256k1: [0xe7, 0x01],
  secp256r1: [0x80, 0x24],
};
const algorithms: Partial<Record<KeyType, string>> = {
  ed25519: "EdDSA",
  secp256k1: "ES256K",
  secp256r1: "ES256",
};

const keyOf = ({ keyType, publicKey }: KeyPair, id = KEY_ID) => ({
  id,
  publicKeyMultibase: `z${encodeBase58(concatBytes(Uint8Array.from(codecs[keyType] ?? []), publicKey))}`,
});

const base64Url = (bytes: Uint8Array): string =>
  encodeBase64(bytes).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");

function jwtOf(pair: KeyPair, payload: object, header: object = {}): string {
  const parts = [{ alg: algorithms[pair.keyType], kid: KEY_ID, ...header }, payload].map((part) =>
    base64Url(encodeUtf8(JSON.stringify(part))),
  );
  return [...parts, base64Url(sign(pair, encodeUtf8(parts.join("."))))].join(".");
}

const credential = {
  "@context": ["https://www.w3.org/ns/credentials/v2"],
  type: ["VerifiableCredential", "Diploma"],
  issuer: DID,
  validFrom: "2026-01-01T00:00:00Z",
  credentialSubject: { id: "did:example:student", degree: "Bachelor of Arts" },
};

/** Example of Data Integrity EdDSA Cryptosuites 1.0, appendix B.3. */
const published = {
  "@context": ["https://www.w3.org/ns/credentials/v2", "https://www.w3.org/ns/credentials/examples/v2"],
  id: "urn:uuid:58172aac-d8ba-11ed-83dd-0b3aef56cc33",
  type: ["VerifiableCredential", "AlumniCredential"],
  name: "Alumni Credential",
  description: "A minimum viable example of an Alumni Credential.",
  issuer: "https://vc.example/issuers/5678",
  validFrom: "2023-01-01T00:00:00Z",
  credentialSubject: { id: "did:example:abcdefgh", alumniOf: "The School of Examples" },
  proof: {
    type: "DataIntegrityProof",
    cryptosuite: "eddsa-jcs-2022",
    created: "2023-02-24T23:36:38Z",
    verificationMethod:
      "did:key:z6MkrJVnaZkeFzdQyMZu1cgjg7k1pZZ6pvBQ7XJPt4swbTQ2#z6MkrJVnaZkeFzdQyMZu1cgjg7k1pZZ6pvBQ7XJPt4swbTQ2",
    proofPurpose: "assertionMethod",
    "@context": ["https://www.w3.org/ns/credentials/v2", "https://www.w3.org/ns/credentials/examples/v2"],
    proofValue: "z2HnFSSPPBzR36zdDgK8PbEHeXbR56YF24jwMpt3R1eHXQzJDMWS93FCzpvJpwTWd3GAVFuUfjoJdcnTMuVor51aX",
  },
};

const pairs: readonly KeyPair[] = [
  keyPairOf("issuer"),
  ...(["secp256k1", "secp256r1"] as const).map((keyType) => {
    const privateKey = new Uint8Array(32).fill(7);
    return { keyType, privateKey, publicKey: ecdsaPublicKey(keyType, privateKey) };
  }),
];

const check = (text: string, ...keys: readonly ReturnType<typeof keyOf>[]) =>
  checkProof(parseCredential(text), keys);

/** A credential with a Data Integrity proof. */
function signed(pair: KeyPair, json: object, options: object = {}): string {
  const proof = { ...published.proof, verificationMethod: KEY_ID, "@context": undefined, ...options };
  const unsigned = parseCredential(JSON.stringify({ ...json, proof: { ...proof, proofValue: "z1" } })).proof;
  const message = unsigned.kind === "signed" ? unsigned.signedBytes : new Uint8Array(0);
  return JSON.stringify({
    ...json,
    proof: { ...proof, proofValue: `z${encodeBase58(sign(pair, message))}` },
  });
}

describe("a Data Integrity proof", () => {
  const key = {
    id: published.proof.verificationMethod,
    publicKeyMultibase: published.proof.verificationMethod.split("#")[1],
  };

  test("of the specification is valid, and invalid after any change", () => {
    expect(check(JSON.stringify(published), key)).toBe("valid");
    const changes = [
      { name: "Other" },
      { credentialSubject: { id: "did:example:other", alumniOf: "The School of Examples" } },
      { extra: null },
      { proof: { ...published.proof, created: "2024-02-24T23:36:38Z" } },
      { proof: { ...published.proof, extra: 1 } },
    ];
    for (const change of changes)
      expect(check(JSON.stringify({ ...published, ...change }), key)).toBe("invalid");
  });

  test("needs a key of the issuer, and another cryptosuite is not checked", () => {
    const [pair] = pairs;
    const text = signed(pair, credential);
    expect(check(text, keyOf(pair))).toBe("valid");
    expect(check(text, keyOf(pair, `${DID}#other`))).toBe("unknown key");
    expect(check(text, keyOf(pairs[1]))).toBe("unknown key");
    expect(check(text)).toBe("unknown key");
    const other = { ...published, proof: { ...published.proof, cryptosuite: "eddsa-rdfc-2022" } };
    expect(check(JSON.stringify(other), key)).toBe("not checked");
    expect(check(JSON.stringify(credential), key)).toBe("not checked");
    expect(check(JSON.stringify({ ...published, proof: [published.proof, published.proof] }), key)).toBe(
      "not checked",
    );
  });

  test("ends the validity of the credential when it expires", () => {
    const json = { ...credential, validUntil: "2030-01-01T00:00:00Z" };
    const expires = "2028-01-01T00:00:00Z";
    expect(parseCredential(signed(pairs[0], json, { expires })).validUntil).toBe(Date.parse(expires));
    expect(parseCredential(signed(pairs[0], json)).validUntil).toBe(Date.parse(json.validUntil));
  });

  test("for another purpose, or with other contexts, is refused", () => {
    const proof = { ...published.proof, proofPurpose: "authentication" };
    expect(() => parseCredential(JSON.stringify({ ...published, proof }))).toThrow("purpose");
    const contexts = { ...published, "@context": ["https://evil.example"] };
    expect(() => parseCredential(JSON.stringify(contexts))).toThrow("contexts");
  });
});

describe("a JWT", () => {
  test.each(pairs)("of a key of type $keyType is checked", (pair) => {
    const text = jwtOf(pair, {
      iss: DID,
      sub: "did:example:student",
      nbf: 1_767_225_600,
      exp: 1_893_456_000,
      vc: credential,
    });
    expect(check(text, keyOf(pair))).toBe("valid");
    expect(check(`"${text}"`, keyOf(pair))).toBe("valid");
    const enveloped = { type: "EnvelopedVerifiableCredential", id: `data:application/vc+jwt,${text}` };
    expect(check(JSON.stringify(enveloped), keyOf(pair))).toBe("valid");
    const [header, payload, signature] = text.split(".");
    const forged = base64Url(
      encodeUtf8(JSON.stringify({ iss: DID, vc: { ...credential, type: ["VerifiableCredential"] } })),
    );
    expect(check(`${header}.${forged}.${signature}`, keyOf(pair))).toBe("invalid");
    expect(check(`${header}.${payload}.${signature.slice(0, -8)}`, keyOf(pair))).toBe("invalid");
    expect(check(`${header}.${payload}.AA`, keyOf(pair))).toBe("invalid");
    expect(parseCredential(text)).toMatchObject({
      issuer: DID,
      subject: "did:example:student",
      types: ["Diploma"],
      validFrom: 1_767_225_600_000,
      validUntil: 1_893_456_000_000,
    });
  });

  test("has the algorithm of its key, not another one, and none is never valid", () => {
    const [pair] = pairs;
    const payload = { iss: DID, vc: credential };
    expect(check(jwtOf(pair, payload, { alg: "ES256K" }), keyOf(pair))).toBe("unknown key");
    for (const alg of ["none", "HS256", "RS256", "__proto__", undefined])
      expect(check(jwtOf(pair, payload, { alg }), keyOf(pair))).toBe("not checked");
    expect(check(jwtOf(pair, payload, { crit: ["b64"] }), keyOf(pair))).toBe("not checked");
    expect(check(jwtOf(pair, payload, { kid: "#sign" }), keyOf(pair))).toBe("valid");
    expect(check(jwtOf(pair, payload, { kid: undefined }), keyOf(pair))).toBe("valid");
    expect(() => parseCredential(jwtOf(pair, { iss: "did:lto:other", vc: credential }))).toThrow(
      "different issuers",
    );
  });
});

test("the hash of statements does not cover proof and status", () => {
  const text = signed(pairs[0], { ...credential, credentialStatus: { id: "x" } });
  const { statusId } = parseCredential(JSON.stringify(credential));
  expect(parseCredential(text).statusId).toBe(statusId);
  // Canonical JSON does not depend on the order of members.
  const reordered = Object.fromEntries(Object.entries(credential).reverse());
  expect(parseCredential(JSON.stringify(reordered)).statusId).toBe(statusId);
});

test.each([
  ["", "not a JSON object"],
  ["[]", "not a JSON object"],
  ["{}", "does not name its issuer"],
  [JSON.stringify({ ...credential, type: "Other" }), "not VerifiableCredential"],
  [JSON.stringify({ ...credential, validUntil: "soon" }), "time"],
  [
    `{"issuer":"a","type":["VerifiableCredential"],"x":${"[".repeat(200)}${"]".repeat(200)}}`,
    "nested too deeply",
  ],
  ["x".repeat(300_000), "too long"],
  ["eyJ.eyJ.x", "The header of the JWT is not a JSON object"],
  ["eyJhbGciOiJFUzI1NiJ9.eyJ.x", "The payload of the JWT is not a JSON object"],
])("%j is refused", (text, message) => {
  expect(() => parseCredential(text)).toThrow(message);
  expect(() => parseCredential(text)).toThrow(CredentialError);
});
