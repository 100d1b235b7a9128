/** Reads names in certificates; formats them by RFC 1779. Page 06 §7.15. */
import { DecodeError } from "../bytes/errors.ts";
import { encodeHex } from "../bytes/hex.ts";
import { decodeUtf8 } from "../bytes/utf8.ts";
import { type Element, formatObjectIdentifier, isSequence, isUniversal, Tag } from "./asn1.ts";

interface NameAttribute {
  /** Dotted object identifier. */
  readonly type: string;
  readonly value: Element;
}

export type DistinguishedName = readonly (readonly NameAttribute[])[];

const KEYWORDS: ReadonlyMap<string, string> = new Map([
  ["2.5.4.3", "CN"],
  ["2.5.4.6", "C"],
  ["2.5.4.7", "L"],
  ["2.5.4.8", "ST"],
  ["2.5.4.9", "STREET"],
  ["2.5.4.10", "O"],
  ["2.5.4.11", "OU"],
]);

/** Characters that require quotes around the value. */
const SPECIAL_CHARACTERS = ',+=\n<>#;\\"';

/** @throws DecodeError if the identifier is missing, truncated or not minimal */
export function readOid(element: Element | undefined): string {
  if (!isUniversal(element, Tag.ObjectIdentifier) || element.constructed) {
    throw new DecodeError("an object identifier is missing");
  }
  const { content } = element;
  if (content.length === 0 || content[content.length - 1] & 0x80) {
    throw new DecodeError("an object identifier is truncated");
  }
  for (let i = 0; i < content.length; i++) {
    const isFirst = i === 0 || (content[i - 1] & 0x80) === 0;
    if (isFirst && content[i] === 0x80) throw new DecodeError("an object identifier has a leading zero");
  }
  return formatObjectIdentifier(content);
}

function readAttribute(element: Element): NameAttribute {
  const [type, value, ...more] = element.children;
  if (!isSequence(element) || value === undefined || more.length > 0) {
    throw new DecodeError("a name attribute is malformed");
  }
  return { type: readOid(type), value };
}

export function readName(element: Element | undefined): DistinguishedName {
  if (!isSequence(element)) throw new DecodeError("a name is missing");
  return element.children.map((part) => {
    if (!isUniversal(part, Tag.Set)) throw new DecodeError("a part of a name is not a set");
    return part.children.map(readAttribute);
  });
}

export function isEmptyName(name: DistinguishedName): boolean {
  return name.every((part) => part.length === 0);
}

function utf16(bytes: Uint8Array): string {
  let text = "";
  for (let i = 0; i + 1 < bytes.length; i += 2) text += String.fromCharCode(bytes[i] * 256 + bytes[i + 1]);
  return text;
}

/** Bytes above `max` become U+FFFD. */
function singleByteText(bytes: Uint8Array, max: number): string {
  let text = "";
  for (const byte of bytes) text += byte <= max ? String.fromCharCode(byte) : "\ufffd";
  return text;
}

function valueText({ tagClass, tag, content }: Element): string | undefined {
  if (tagClass !== "universal") return undefined;
  switch (tag) {
    case Tag.Utf8String:
      return decodeUtf8(content);
    case Tag.BmpString:
      return utf16(content);
    case Tag.PrintableString:
    case Tag.Ia5String:
    case Tag.GeneralString:
      return singleByteText(content, 0x7f);
    case Tag.T61String:
      return singleByteText(content, 0xff);
    default:
      return undefined;
  }
}

function quoteIfNeeded(text: string): string {
  // A quoted value keeps its quotes.
  if (text.length > 1 && text.startsWith('"') && text.endsWith('"')) {
    return `"${text.slice(1, -1).replace(/["\\]/g, "\\$&")}"`;
  }
  const escaped = text.replace(/["\\]/g, "\\$&");
  const special = [...text].some((char) => SPECIAL_CHARACTERS.includes(char));
  return special || /^[ \n]|[ \n]{2}|[ \n]$/.test(text) ? `"${escaped}"` : escaped;
}

function attributeText({ type, value }: NameAttribute): string {
  const text = valueText(value);
  const keyword = KEYWORDS.get(type) ?? `OID.${type}`;
  return `${keyword}=${text === undefined ? `#${encodeHex(value.encoded)}` : quoteIfNeeded(text)}`;
}

/** Formats a name by RFC 1779, last part first: `CN=Alice, O="Example, Inc.", C=NL`. */
export function nameText(name: DistinguishedName): string {
  return name
    .map((part) => part.map(attributeText).join(" + "))
    .reverse()
    .join(", ");
}
