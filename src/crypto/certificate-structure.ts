/** Checks the structure of a certificate like the reference's ASN.1 library (page 02 §10.14). */
import { DecodeError } from "../bytes/errors.ts";
import { allElements, type Element, isSequence, isUniversal, readAsn1, Tag } from "./asn1.ts";

const CONTENT_CHECKS: ReadonlyMap<number, (content: Uint8Array) => boolean> = new Map([
  [Tag.Boolean, (content) => content.length === 1],
  [Tag.Integer, isIntegerContent],
  [Tag.BitString, isBitStringContent],
  [Tag.Enumerated, isIntegerContent],
  [Tag.UtcTime, (content) => beginsWithDigits(content, 2)],
  [Tag.GeneralizedTime, (content) => beginsWithDigits(content, 4)],
  [Tag.BmpString, (content) => content.length % 2 === 0],
]);

/** Tags with arbitrary primitive content. */
// biome-ignore format: several tags per line
const UNCHECKED_TAGS: ReadonlySet<number> = new Set([
  Tag.OctetString, Tag.Null, Tag.ObjectIdentifier, Tag.Utf8String, Tag.NumericString, Tag.PrintableString,
  Tag.T61String, Tag.VideotexString, Tag.Ia5String, Tag.GraphicString, Tag.VisibleString, Tag.GeneralString,
  Tag.UniversalString,
]);

/** Returns true for a non-empty, minimal integer. */
function isIntegerContent(content: Uint8Array): boolean {
  if (content.length < 2) return content.length === 1;
  const redundantFirst = content[1] >> 7 === 1 ? 0xff : 0;
  return content[0] !== redundantFirst;
}

function isBitStringContent(content: Uint8Array): boolean {
  if (content.length === 0) return false;
  return content[0] <= 7 && (content.length > 1 || content[0] === 0);
}

function beginsWithDigits(content: Uint8Array, count: number): boolean {
  for (let i = 0; i < count; i++) if (!(content[i] >= 0x30 && content[i] <= 0x39)) return false;
  return true;
}

/** Checks an element like the reference's library; ignores its children's content. */
function isReadable(element: Element): boolean {
  const { tagClass, tag, constructed } = element;
  if (tagClass !== "universal") return true;
  if (!constructed) return CONTENT_CHECKS.get(tag)?.(element.content) ?? UNCHECKED_TAGS.has(tag);
  if (tag === Tag.OctetString) return element.children.every(isOctetString);
  return tag === Tag.Sequence || tag === Tag.Set || tag === Tag.External;
}

function isOctetString(element: Element | undefined): boolean {
  return isUniversal(element, Tag.OctetString);
}

function isBitString(element: Element | undefined): boolean {
  return isUniversal(element, Tag.BitString) && !element.constructed;
}

function isInteger(element: Element | undefined): element is Element {
  return isUniversal(element, Tag.Integer) && !element.constructed;
}

function isOid(element: Element | undefined): boolean {
  return isUniversal(element, Tag.ObjectIdentifier) && !element.constructed;
}

function isAlgorithm(element: Element | undefined): boolean {
  if (!isSequence(element)) return false;
  const { children } = element;
  return (children.length === 1 || children.length === 2) && isOid(children[0]);
}

function isName(element: Element | undefined): boolean {
  return isSequence(element) && element.children.every((rdn) => isUniversal(rdn, Tag.Set));
}

function isTime(element: Element | undefined): boolean {
  return isUniversal(element, Tag.UtcTime) || isUniversal(element, Tag.GeneralizedTime);
}

function isValidity(element: Element | undefined): boolean {
  return isSequence(element) && isTime(element.children[0]) && isTime(element.children[1]);
}

function isPublicKey(element: Element | undefined): boolean {
  if (!isSequence(element) || element.children.length !== 2) return false;
  return isAlgorithm(element.children[0]) && isBitString(element.children[1]);
}

function isExtension(element: Element): boolean {
  if (!isSequence(element)) return false;
  const { children } = element;
  if (children.length === 2) return isOid(children[0]) && isOctetString(children[1]);
  const [id, critical, value] = children;
  return children.length === 3 && isOid(id) && isUniversal(critical, Tag.Boolean) && isOctetString(value);
}

function isExtensions(tagged: Element): boolean {
  const [list, ...more] = tagged.children;
  if (more.length > 0 || !isSequence(list) || !list.children.every(isExtension)) return false;
  const ids = new Set(list.children.map((extension) => String(extension.children[0].content)));
  return ids.size === list.children.length;
}

/** Accepts implicitly and explicitly tagged bit strings. */
function isUniqueId(tagged: Element): boolean {
  if (!tagged.constructed) return isBitStringContent(tagged.content);
  return tagged.children.length === 1 && isBitString(tagged.children[0]);
}

/** Returns 1 to 3; undefined if invalid. */
function versionOf(tagged: Element): number | undefined {
  const [version, ...more] = tagged.children;
  if (more.length > 0 || !isInteger(version) || version.content.length !== 1) return undefined;
  const number = version.content[0];
  return number <= 2 ? number + 1 : undefined;
}

function isOptionalPart(element: Element, version: number): boolean {
  if (element.tagClass !== "context" || version === 1) return false;
  if (element.tag === 1 || element.tag === 2) return isUniqueId(element);
  return element.tag === 3 && version === 3 && isExtensions(element);
}

function isTbs(element: Element | undefined): boolean {
  if (!isSequence(element)) return false;
  const [first] = element.children;
  if (first === undefined) return false;
  const hasVersion = first.tagClass === "context";
  const version = hasVersion ? versionOf(first) : 1;
  if (version === undefined) return false;
  const [serial, algorithm, issuer, validity, subject, key, ...optionalParts] = hasVersion
    ? element.children.slice(1)
    : element.children;
  return (
    isInteger(serial) &&
    isAlgorithm(algorithm) &&
    isName(issuer) &&
    isValidity(validity) &&
    isName(subject) &&
    isPublicKey(key) &&
    optionalParts.every((part) => isOptionalPart(part, version))
  );
}

/** Does not check dates, signature or trust. Never throws. */
export function isX509Structure(bytes: Uint8Array): boolean {
  let root: Element;
  try {
    root = readAsn1(bytes);
  } catch (error) {
    if (error instanceof DecodeError) return false;
    throw error;
  }
  for (const element of allElements(root)) if (!isReadable(element)) return false;
  if (!isSequence(root) || root.children.length !== 3) return false;
  const [tbs, algorithm, signature] = root.children;
  return isTbs(tbs) && isAlgorithm(algorithm) && isBitString(signature);
}
