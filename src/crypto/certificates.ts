/** Page 05 §20, page 06 §7.15. */
import { DecodeError, tryDecode } from "../bytes/errors.ts";
import { failed, ok, type Result } from "../errors/result.ts";
import { isUniversal, Tag } from "./asn1.ts";
import { type CertificatePublicKey, parseCertificate } from "./certificate-parser.ts";
import { coordinateLength } from "./curves.ts";
import { nameText, readOid } from "./distinguished-name.ts";
import type { PublicKey } from "./key-types.ts";

const EC_ALGORITHM = "1.2.840.10045.2.1";
const UNCOMPRESSED_FORM = 4;
const COORDINATE_LENGTH = 32;

/** Names in the reference's runtime. */
const ALGORITHM_NAMES: ReadonlyMap<string, string> = new Map([
  ["1.2.840.113549.1.1.1", "RSA"],
  ["1.2.840.113549.1.1.10", "RSASSA-PSS"],
  ["1.2.840.10040.4.1", "DSA"],
  ["1.3.14.3.2.12", "DSA"],
  ["1.2.840.113549.1.3.1", "DH"],
  ["1.3.101.110", "XDH"],
  ["1.3.101.111", "XDH"],
]);

/**
 * Derives a 33-byte key from a point. Like the reference, removes leading zero bytes from x, then pads x with zeros at
 * the **end** to 32 bytes, or keeps its last 32 bytes. This is a consensus rule.
 * @param x big-endian, any length
 */
export function compressedCertificatePoint(x: Uint8Array, yIsOdd: boolean): Uint8Array {
  let start = 0;
  while (start < x.length && x[start] === 0) start++;
  const minimal = x.subarray(start);
  const key = new Uint8Array(1 + COORDINATE_LENGTH);
  key[0] = yIsOdd ? 3 : 2;
  key.set(minimal.subarray(Math.max(0, minimal.length - COORDINATE_LENGTH)), 1);
  return key;
}

/** Returns a secp256r1 key for every curve, even if the point is not on the curve. */
function ellipticCurveKey({ parameters, bytes }: CertificatePublicKey): PublicKey {
  if (!isUniversal(parameters, Tag.ObjectIdentifier))
    throw new DecodeError("Only named ECParameters supported");
  const curve = readOid(parameters);
  const length = coordinateLength(curve);
  if (length === undefined) throw new DecodeError(`Unknown named curve: ${curve}`);
  if (bytes[0] !== UNCOMPRESSED_FORM) throw new DecodeError("Only uncompressed point format supported");
  if (bytes.length !== 1 + 2 * length) throw new DecodeError("Point does not match field size");
  const yIsOdd = (bytes[bytes.length - 1] & 1) === 1;
  return { keyType: "secp256r1", bytes: compressedCertificatePoint(bytes.subarray(1, 1 + length), yIsOdd) };
}

/**
 * Returns a certificate's public key. Rejects ed25519, like the reference. The text after
 * `Invalid certificate format:` differs from the reference's. Never throws.
 */
export function certificateKey(bytes: Uint8Array): Result<PublicKey, string> {
  try {
    const { publicKey } = parseCertificate(bytes);
    if (publicKey.algorithm === EC_ALGORITHM) return ok(ellipticCurveKey(publicKey));
    const name = ALGORITHM_NAMES.get(publicKey.algorithm) ?? publicKey.algorithm;
    return failed(`Unsupported key algorithm: ${name}`);
  } catch (error) {
    if (error instanceof DecodeError) return failed(`Invalid certificate format: ${error.message}`);
    throw error;
  }
}

/** Names as in RFC 1779, times in ms since 1970. */
interface CertificateFields {
  readonly subject: string;
  readonly issuer: string;
  readonly notBefore: number;
  readonly notAfter: number;
}

export function certificateFields(bytes: Uint8Array): CertificateFields | undefined {
  const certificate = tryDecode(() => parseCertificate(bytes));
  if (certificate === undefined) return undefined;
  const { subject, issuer, notBefore, notAfter } = certificate;
  return { subject: nameText(subject), issuer: nameText(issuer), notBefore, notAfter };
}
