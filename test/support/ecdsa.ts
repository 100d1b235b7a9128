/** Key pairs of the two ECDSA curves and certificates for them, which the client library cannot create. */
import { generateKeyPairSync } from "node:crypto";
import * as asn1js from "asn1js";
import type { KeyPair } from "../../src/crypto/signatures.ts";

const nodeCurves = { secp256k1: "secp256k1", secp256r1: "prime256v1" } as const;

export interface EcdsaKeys extends KeyPair {
  /** SubjectPublicKeyInfo in DER. */
  readonly spki: Uint8Array;
}

/**
 * Creates a key pair. Its x has no leading zero byte, since such an account cannot have a certificate (page 05 §20.2).
 */
export function generateEcdsaKeys(keyType: keyof typeof nodeCurves): EcdsaKeys {
  for (;;) {
    const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: nodeCurves[keyType] });
    const { x = "", y = "", d = "" } = privateKey.export({ format: "jwk" });
    const bytes = (text: string) => Buffer.from(text, "base64url");
    if (bytes(x)[0] === 0) continue;
    const parity = (bytes(y)[31] as number) & 1;
    return {
      keyType,
      publicKey: new Uint8Array([2 + parity, ...bytes(x)]),
      privateKey: new Uint8Array(bytes(d)),
      spki: new Uint8Array(publicKey.export({ type: "spki", format: "der" })),
    };
  }
}

/**
 * Creates a self-issued certificate, version 3, `CN=<name>`. Its signature is random: the protocol does not check it.
 */
export function selfIssuedCertificate(keys: EcdsaKeys, name: string, now: number): Uint8Array {
  const sequence = (...value: asn1js.BaseBlock[]) => new asn1js.Sequence({ value: value as never });
  const commonName = () =>
    sequence(
      new asn1js.Set({
        value: [
          sequence(new asn1js.ObjectIdentifier({ value: "2.5.4.3" }), new asn1js.Utf8String({ value: name })),
        ],
      }),
    );
  const algorithm = () => sequence(new asn1js.ObjectIdentifier({ value: "1.2.840.10045.4.3.2" }));
  const day = 86_400_000;
  const spki = asn1js.fromBER(keys.spki.slice().buffer);
  const toBeSigned = sequence(
    new asn1js.Constructed({
      idBlock: { tagClass: 3, tagNumber: 0 },
      value: [new asn1js.Integer({ value: 2 })],
    }),
    new asn1js.Integer({ value: 1 }),
    algorithm(),
    commonName(),
    sequence(
      new asn1js.UTCTime({ valueDate: new Date(now - day) }),
      new asn1js.UTCTime({ valueDate: new Date(now + day) }),
    ),
    commonName(),
    spki.result,
  );
  const noise = new Uint8Array(70).fill(1).buffer;
  return new Uint8Array(sequence(toBeSigned, algorithm(), new asn1js.BitString({ valueHex: noise })).toBER());
}
