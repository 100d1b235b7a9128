/** Checks the certificates of `state-scenarios.json`: structure, key and error. Page 05 §20. */
import { describe, expect, test } from "vitest";
import { hasVectors, loadVectors } from "../../test/vectors.ts";
import { decodeBase64 } from "../bytes/base64.ts";
import { encodeHex } from "../bytes/hex.ts";
import { isX509Structure } from "./certificate-structure.ts";
import { certificateFields, certificateKey } from "./certificates.ts";

interface Certificate {
  readonly derBase64: string;
  readonly referencePublicKeyHex?: string;
  readonly note?: string;
}

interface Step {
  readonly block?: { readonly txs?: readonly { readonly type: string; readonly certificate?: string }[] };
  readonly expectError?: { readonly kind: string; readonly message: string };
}

interface Scenarios {
  readonly certificates: Record<string, Certificate>;
  readonly scenarios: readonly { readonly name: string; readonly steps: readonly Step[] }[];
}

const INVALID_STRUCTURE = "Invalid X.509 certificate (not DER-encoded?)";

/** Returns each certificate with the error that its scenario expects. Only steps that send exactly one. */
function attempts({ scenarios }: Scenarios): [name: string, scenario: string, error: string | undefined][] {
  return scenarios.flatMap(({ name, steps }) =>
    steps.flatMap(({ block, expectError }): [string, string, string | undefined][] => {
      const sent = block?.txs?.filter((tx) => tx.type === "certificate" && tx.certificate) ?? [];
      const certificate = sent.length === 1 ? sent[0].certificate : undefined;
      // Only errors of the certificate itself: other tests check features, sizes, fees and balances.
      if (certificate === undefined || (expectError && expectError.kind !== "GenericError")) return [];
      return [[certificate, name, expectError?.message]];
    }),
  );
}

describe("certificates of state-scenarios.json", () => {
  if (!hasVectors("state-scenarios.json")) {
    test.skip("state-scenarios.json is absent");
    return;
  }
  const vectors = loadVectors<Scenarios>("state-scenarios.json");
  const { certificates } = vectors;
  // "INVALID" means bytes that are not a certificate.
  const bytesOf = (name: string) =>
    name === "INVALID" ? Uint8Array.of(1, 2, 3) : decodeBase64(certificates[name].derBase64);

  const keyed = Object.entries(certificates).filter(([, { referencePublicKeyHex }]) => referencePublicKeyHex);
  test("have known keys", () => expect(keyed.length).toBeGreaterThan(0));
  test.each(keyed)("certify the known key: %s", (name, { referencePublicKeyHex }) => {
    const key = certificateKey(bytesOf(name));
    expect(key.ok).toBe(true);
    if (key.ok) expect(encodeHex(key.value.bytes)).toBe(referencePublicKeyHex);
  });

  const sent = attempts(vectors);
  test("are sent in transactions", () => expect(sent.length).toBeGreaterThan(0));
  test.each(sent)("%s: %s", (name, _, error) => {
    const bytes = bytesOf(name);
    expect(isX509Structure(bytes)).toBe(error !== INVALID_STRUCTURE);
    if (error === INVALID_STRUCTURE) return;
    const key = certificateKey(bytes);
    // The rest of these two texts depends on the runtime.
    const runtime = /^(Invalid certificate format: |Unsupported key algorithm: )/.exec(error ?? "")?.[1];
    if (runtime !== undefined && !key.ok) expect(key.error.startsWith(error ?? "")).toBe(true);
    // Accepted, or rejected because the sender's key differs from the certificate's.
    else expect(key.ok).toBe(runtime === undefined);
  });

  test("have names and dates", () => {
    expect(certificateFields(bytesOf("cert:valid"))).toEqual({
      subject: 'CN="Alice,O=Example Ltd,C=NL"',
      issuer: 'CN="Alice,O=Example Ltd,C=NL"',
      notBefore: Date.UTC(2025, 5, 4, 10, 57, 11),
      notAfter: Date.UTC(3000, 1, 13, 10, 57, 11),
    });
    expect(certificateFields(bytesOf("cert:badTime"))).toBeUndefined();
  });
});
