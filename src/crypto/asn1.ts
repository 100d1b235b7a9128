/** Reads ASN.1 in BER, as far as certificates need it. Lengths may be long, redundant or indefinite. */
import { DecodeError } from "../bytes/errors.ts";

/** The two bits of a tag that tell its class. */
export type TagClass = "universal" | "application" | "context" | "private";

const CLASSES: readonly TagClass[] = ["universal", "application", "context", "private"];

/** Universal tag numbers. */
export const Tag = {
  EndOfContents: 0,
  Boolean: 1,
  Integer: 2,
  BitString: 3,
  OctetString: 4,
  Null: 5,
  ObjectIdentifier: 6,
  External: 8,
  Enumerated: 10,
  Utf8String: 12,
  Sequence: 16,
  Set: 17,
  NumericString: 18,
  PrintableString: 19,
  T61String: 20,
  VideotexString: 21,
  Ia5String: 22,
  UtcTime: 23,
  GeneralizedTime: 24,
  GraphicString: 25,
  VisibleString: 26,
  GeneralString: 27,
  UniversalString: 28,
  BmpString: 30,
} as const;

/** One element, with those inside it when it is constructed. */
export interface Element {
  readonly tagClass: TagClass;
  readonly tag: number;
  readonly constructed: boolean;
  /** What the length covers; without the end marker when it is indefinite. */
  readonly content: Uint8Array;
  /** Elements of a constructed one, else none. */
  readonly children: readonly Element[];
  /** The whole element. */
  readonly encoded: Uint8Array;
  /** Whether the length has more bytes than DER allows; an indefinite one does not count. */
  readonly redundantLength: boolean;
}

/**
 * As deep as elements may nest. A certificate of the largest size allowed (10,240 bytes) cannot reach it, so it
 * only bounds the work on what is refused anyway.
 */
const MAX_DEPTH = 5_200;

/** Elements of the classes "application" and "private" are kept unread, when their length is definite. */
function isLookedInto(firstByte: number): boolean {
  return (firstByte & 0x40) === 0;
}

class BerReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get position(): number {
    return this.#at;
  }

  #byte(end: number): number {
    if (this.#at >= end) throw new DecodeError("ASN.1 ends early");
    return this.#bytes[this.#at++];
  }

  /** The number of a tag above 30, in base 128. */
  #highTag(end: number): number {
    let tag = 0;
    for (let byte = 0x80; byte & 0x80; ) {
      byte = this.#byte(end);
      if (tag === 0 && byte === 0x80) throw new DecodeError("ASN.1 tag number begins with zeros");
      tag = tag * 128 + (byte & 0x7f);
      if (tag > 0x7fffffff) throw new DecodeError("ASN.1 tag number is too large");
    }
    return tag;
  }

  /** Length, -1 when indefinite. */
  #length(end: number): { length: number; redundant: boolean } {
    const first = this.#byte(end);
    if (first < 0x80) return { length: first, redundant: false };
    if (first === 0x80) return { length: -1, redundant: false };
    const size = first & 0x7f;
    if (size > 4) throw new DecodeError("ASN.1 length is too long");
    const start = this.#at;
    let length = 0;
    for (let i = 0; i < size; i++) length = length * 256 + this.#byte(end);
    return { length, redundant: this.#bytes[start] === 0 || length < 0x80 };
  }

  element(end: number, depth: number): Element {
    if (depth > MAX_DEPTH) throw new DecodeError("ASN.1 nests too deep");
    const start = this.#at;
    const first = this.#byte(end);
    const constructed = (first & 0x20) !== 0;
    const tag = (first & 0x1f) === 0x1f ? this.#highTag(end) : first & 0x1f;
    const { length, redundant } = this.#length(end);
    const contentAt = this.#at;
    if (length > end - contentAt) throw new DecodeError("ASN.1 ends early");
    const children: Element[] = [];
    let contentEnd = contentAt + length;
    if (length < 0) {
      if (!constructed) throw new DecodeError("ASN.1 primitive has an indefinite length");
      contentEnd = this.#untilEnd(children, end, depth);
    } else if (constructed && isLookedInto(first)) {
      while (this.#at < contentEnd) children.push(this.element(contentEnd, depth + 1));
    } else this.#at = contentEnd;
    return {
      tagClass: CLASSES[first >> 6],
      tag,
      constructed,
      content: this.#bytes.subarray(contentAt, contentEnd),
      children,
      encoded: this.#bytes.subarray(start, this.#at),
      redundantLength: redundant,
    };
  }

  /** Reads elements up to the end marker (two zero bytes); returns where the marker begins. */
  #untilEnd(children: Element[], end: number, depth: number): number {
    for (;;) {
      const at = this.#at;
      if (this.#bytes[at] === 0 && this.#bytes[at + 1] === 0 && at + 2 <= end) {
        this.#at = at + 2;
        return at;
      }
      children.push(this.element(end, depth + 1));
    }
  }
}

/**
 * Reads one element that fills the bytes. Only constructed elements are looked into; what a primitive one holds
 * is not checked.
 * @throws DecodeError
 */
export function readAsn1(bytes: Uint8Array): Element {
  const reader = new BerReader(bytes);
  const element = reader.element(bytes.length, 0);
  if (reader.position < bytes.length) throw new DecodeError("ASN.1 has bytes behind it");
  return element;
}

/** Whether the element has this universal tag. */
export function isUniversal(element: Element | undefined, tag: number): element is Element {
  return element !== undefined && element.tagClass === "universal" && element.tag === tag;
}

/** Whether the element is a sequence. */
export function isSequence(element: Element | undefined): element is Element {
  return isUniversal(element, Tag.Sequence) && element.constructed;
}

/** Dotted text of the content of an object identifier, e.g. `1.2.840.10045.2.1`. */
export function objectIdentifier(content: Uint8Array): string {
  const parts: bigint[] = [];
  let value = 0n;
  for (const byte of content) {
    value = (value << 7n) | BigInt(byte & 0x7f);
    if (byte & 0x80) continue;
    if (parts.length > 0) parts.push(value);
    else {
      const first = value < 40n ? 0n : value < 80n ? 1n : 2n;
      parts.push(first, value - first * 40n);
    }
    value = 0n;
  }
  return parts.join(".");
}
