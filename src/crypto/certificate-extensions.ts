/** Rejects malformed critical extensions of known types, like the reference's runtime. Page 05 §20.2. */
import { DecodeError } from "../bytes/errors.ts";
import { type Element, isSequence, isUniversal, readAsn1, Tag } from "./asn1.ts";
import { readOid } from "./distinguished-name.ts";

/** Checks `SEQUENCE { cA BOOLEAN, pathLen INTEGER }`. If the first member is not a boolean, accepts any members. */
function isBasicConstraints(value: Element): boolean {
  if (!isSequence(value)) return false;
  const [ca, pathLength] = value.children;
  if (!isUniversal(ca, Tag.Boolean) || pathLength === undefined) return true;
  return isUniversal(pathLength, Tag.Integer);
}

function isKeyUsage(value: Element): boolean {
  return isUniversal(value, Tag.BitString) && !value.constructed && value.content.length > 0;
}

function isOidList(value: Element): boolean {
  return isSequence(value) && value.children.every((item) => readOid(item) !== "");
}

function isNameList(value: Element): boolean {
  return isSequence(value) && value.children.every(({ tagClass }) => tagClass === "context");
}

function isOctets(value: Element): boolean {
  return isUniversal(value, Tag.OctetString);
}

function isInteger(value: Element): boolean {
  return isUniversal(value, Tag.Integer);
}

/** Checks by object identifier. */
const CHECKS: ReadonlyMap<string, (value: Element) => boolean> = new Map([
  ...["16", "30", "31", "32", "33", "35", "36", "46"].map((id) => [`2.5.29.${id}`, isSequence] as const),
  ["1.3.6.1.5.5.7.1.1", isSequence],
  ["1.3.6.1.5.5.7.1.11", isSequence],
  ["2.5.29.14", isOctets],
  ["2.5.29.15", isKeyUsage],
  ["2.5.29.17", isNameList],
  ["2.5.29.18", isNameList],
  ["2.5.29.19", isBasicConstraints],
  ["2.5.29.37", isOidList],
  ["2.5.29.54", isInteger],
  ["2.16.840.1.113730.1.1", isKeyUsage],
]);

function isReadable(check: (value: Element) => boolean, value: Uint8Array): boolean {
  try {
    return check(readAsn1(value));
  } catch (error) {
    if (error instanceof DecodeError) return false;
    throw error;
  }
}

/**
 * Checks `SEQUENCE { OID, critical BOOLEAN optional, OCTET STRING }`.
 * @throws DecodeError if the identifier is invalid, or if the extension is critical, of a known type and malformed
 */
export function checkExtension({ children }: Element): void {
  const id = readOid(children[0]);
  const flag = children.length === 3 ? children[1] : undefined;
  const critical = isUniversal(flag, Tag.Boolean) && flag.content[0] !== 0;
  const check = CHECKS.get(id);
  const value = children[children.length - 1];
  if (critical && check !== undefined && !isReadable(check, value.content)) {
    throw new DecodeError(`the critical extension ${id} is malformed`);
  }
}
