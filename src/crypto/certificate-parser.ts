/**
 * Parses X.509 certificates like the reference's runtime (Java 11): a ledger rule depends on the result. Page 05 §20.2.
 * Does not verify signatures or trust.
 */
import { bytesEqual } from "../bytes/compare.ts";
import { DecodeError } from "../bytes/errors.ts";
import { allElements, type Element, isSequence, isUniversal, readAsn1, Tag } from "./asn1.ts";
import { checkExtension } from "./certificate-extensions.ts";
import { readTime } from "./certificate-time.ts";
import { type DistinguishedName, isEmptyName, readName, readOid } from "./distinguished-name.ts";

interface ParsedCertificate {
  readonly subject: DistinguishedName;
  readonly issuer: DistinguishedName;
  /** Times in ms since 1970. */
  readonly notBefore: number;
  readonly notAfter: number;
  readonly publicKey: CertificatePublicKey;
}

export interface CertificatePublicKey {
  /** Dotted object identifier. */
  readonly algorithm: string;
  readonly parameters: Element | undefined;
  /** The bit string without its first byte, the count of unused bits. */
  readonly bytes: Uint8Array;
}

interface AlgorithmIdentifier {
  readonly algorithm: string;
  readonly parameters: Element | undefined;
}

function fail(message: string): never {
  throw new DecodeError(message);
}

/** @throws DecodeError if a length is neither minimal nor indefinite */
function checkLengths(root: Element): void {
  for (const element of allElements(root)) if (element.hasRedundantLength) fail("a length is not minimal");
}

function readSequence(element: Element | undefined, description: string): readonly Element[] {
  return isSequence(element) ? element.children : fail(`${description} is not a sequence`);
}

function readAlgorithm(element: Element | undefined): AlgorithmIdentifier {
  const [id, parameters, ...more] = readSequence(element, "an algorithm");
  if (more.length > 0) fail("an algorithm has too many parts");
  const algorithm = readOid(id);
  if (!isUniversal(parameters, Tag.Null)) return { algorithm, parameters };
  if (parameters.content.length > 0) fail("a NULL is not empty");
  // NULL means no parameters.
  return { algorithm, parameters: undefined };
}

function sameAlgorithm(a: AlgorithmIdentifier, b: AlgorithmIdentifier): boolean {
  if (a.algorithm !== b.algorithm) return false;
  if (a.parameters === undefined || b.parameters === undefined) return a.parameters === b.parameters;
  return bytesEqual(a.parameters.encoded, b.parameters.encoded);
}

function readBitString(element: Element | undefined): Uint8Array {
  if (!isUniversal(element, Tag.BitString) || element.constructed) return fail("a bit string is missing");
  return element.content.subarray(1);
}

function readPublicKey(element: Element | undefined): CertificatePublicKey {
  const [algorithm, key, ...more] = readSequence(element, "the public key");
  if (more.length > 0) fail("the public key has too many parts");
  return { ...readAlgorithm(algorithm), bytes: readBitString(key) };
}

function readValidity(element: Element | undefined): { notBefore: number; notAfter: number } {
  const [notBefore, notAfter, ...more] = readSequence(element, "the validity");
  if (more.length > 0) fail("the validity has too many parts");
  return { notBefore: readTime(notBefore), notAfter: readTime(notAfter) };
}

function hasCriticalAlternativeName(extensions: readonly Element[]): boolean {
  return extensions.some(({ children: [id, critical] }) => {
    return readOid(id) === "2.5.29.17" && isUniversal(critical, Tag.Boolean) && critical.content[0] !== 0;
  });
}

function readExtensions(tagged: Element): readonly Element[] {
  const [list, ...more] = tagged.children;
  if (!tagged.constructed || more.length > 0) fail("the extensions are malformed");
  const extensions = readSequence(list, "the list of extensions");
  for (const extension of extensions) checkExtension(extension);
  return extensions;
}

function checkOptionalParts(optionalParts: readonly Element[], subject: DistinguishedName): void {
  const tags = optionalParts.map(({ tag }) => tag);
  if (tags.some((tag, i) => i > 0 && tag <= tags[i - 1])) fail("the optional parts are out of order");
  const last = optionalParts.at(-1);
  if (last?.tag !== 3) return;
  const extensions = readExtensions(last);
  if (isEmptyName(subject) && !hasCriticalAlternativeName(extensions)) {
    fail("the subject is empty and has no critical alternative name");
  }
}

/**
 * @param bytes a certificate that `isX509Structure` accepts
 * @throws DecodeError if the reference's runtime rejects the certificate
 */
export function parseCertificate(bytes: Uint8Array): ParsedCertificate {
  const root = readAsn1(bytes);
  checkLengths(root);
  const [tbs, outerAlgorithm, signature] = readSequence(root, "the certificate");
  const fields = readSequence(tbs, "the inner certificate");
  const hasVersion = fields[0]?.tagClass === "context";
  const version = hasVersion ? fields[0].children[0]?.content[0] : 0;
  if (hasVersion && fields[0].tag !== 0) fail("the serial number is missing");
  const [serial, algorithm, issuerName, validity, subjectName, key, ...optionalParts] = hasVersion
    ? fields.slice(1)
    : fields;
  if (!isUniversal(serial, Tag.Integer)) fail("the serial number is missing");
  readBitString(signature);
  const innerAlgorithm = readAlgorithm(algorithm);
  if (!sameAlgorithm(innerAlgorithm, readAlgorithm(outerAlgorithm))) fail("the signature algorithms differ");
  const issuer = readName(issuerName);
  if (isEmptyName(issuer)) fail("the issuer is empty");
  const subject = readName(subjectName);
  if (version === 0 && isEmptyName(subject)) fail("the subject is empty");
  const certificate = { subject, issuer, ...readValidity(validity), publicKey: readPublicKey(key) };
  checkOptionalParts(optionalParts, subject);
  return certificate;
}
