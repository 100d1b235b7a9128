/** The subset of ASN.1 BER that certificates need. Accepts redundant and indefinite lengths. */
import { DecodeError } from "../bytes/errors.ts";

type TagClass = "universal" | "application" | "context" | "private";

const CLASSES: readonly TagClass[] = ["universal", "application", "context", "private"];

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

export interface Element {
  readonly tagClass: TagClass;
  readonly tag: number;
  readonly constructed: boolean;
  readonly content: Uint8Array;
  readonly children: readonly Element[];
  /** The content with its tag and length. */
  readonly encoded: Uint8Array;
  /** True if the length field is longer than in DER; false if indefinite. */
  readonly hasRedundantLength: boolean;
}

/** Limits the work on invalid input. */
const MAX_DEPTH = 5_200;

interface Header {
  readonly tagClass: TagClass;
  readonly tag: number;
  readonly constructed: boolean;
  /** False for opaque content: primitives, and application and private elements of definite length. */
  readonly isParsed: boolean;
  readonly start: number;
  readonly contentStart: number;
  /** -1 for an indefinite length. */
  readonly contentEnd: number;
  readonly hasRedundantLength: boolean;
}

interface OpenElement {
  readonly header: Header;
  /** End of the bytes that the element may use. */
  readonly limit: number;
  readonly children: Element[];
}

/** Parses without recursion: untrusted input decides the depth. */
class BerReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  #byte(limit: number): number {
    if (this.#at >= limit) throw new DecodeError("ASN.1 ends early");
    return this.#bytes[this.#at++];
  }

  #highTag(limit: number): number {
    let tag = 0;
    for (let byte = 0x80; byte & 0x80; ) {
      byte = this.#byte(limit);
      if (tag === 0 && byte === 0x80) throw new DecodeError("ASN.1 tag number begins with zeros");
      tag = tag * 128 + (byte & 0x7f);
      if (tag > 0x7fffffff) throw new DecodeError("ASN.1 tag number is too large");
    }
    return tag;
  }

  /** Returns -1 for an indefinite length. */
  #length(limit: number): { length: number; redundant: boolean } {
    const first = this.#byte(limit);
    if (first < 0x80) return { length: first, redundant: false };
    if (first === 0x80) return { length: -1, redundant: false };
    const size = first & 0x7f;
    if (size > 4) throw new DecodeError("ASN.1 length is too long");
    const start = this.#at;
    let length = 0;
    for (let i = 0; i < size; i++) length = length * 256 + this.#byte(limit);
    return { length, redundant: this.#bytes[start] === 0 || length < 0x80 };
  }

  #header(limit: number): Header {
    const start = this.#at;
    const first = this.#byte(limit);
    const constructed = (first & 0x20) !== 0;
    const tag = (first & 0x1f) === 0x1f ? this.#highTag(limit) : first & 0x1f;
    const { length, redundant } = this.#length(limit);
    if (length < 0 && !constructed) throw new DecodeError("ASN.1 primitive has an indefinite length");
    if (length > limit - this.#at) throw new DecodeError("ASN.1 ends early");
    return {
      tagClass: CLASSES[first >> 6],
      tag,
      constructed,
      isParsed: constructed && (length < 0 || (first & 0x40) === 0),
      start,
      contentStart: this.#at,
      contentEnd: length < 0 ? -1 : this.#at + length,
      hasRedundantLength: redundant,
    };
  }

  #finish(header: Header, contentEnd: number, children: Element[]): Element {
    const { tagClass, tag, constructed, hasRedundantLength } = header;
    return {
      tagClass,
      tag,
      constructed,
      content: this.#bytes.subarray(header.contentStart, contentEnd),
      children,
      encoded: this.#bytes.subarray(header.start, this.#at),
      hasRedundantLength,
    };
  }

  /** Returns true at the open element's end. Consumes its end marker, if any. */
  #consumeEnd({ header, limit }: OpenElement): boolean {
    if (header.contentEnd >= 0) return this.#at === header.contentEnd;
    const at = this.#at;
    if (at + 2 > limit || this.#bytes[at] !== 0 || this.#bytes[at + 1] !== 0) return false;
    this.#at = at + 2;
    return true;
  }

  parseDocument(): Element {
    const open: OpenElement[] = [];
    for (;;) {
      const inner = open.at(-1);
      let finished: Element | undefined;
      if (inner !== undefined && this.#consumeEnd(inner)) {
        open.pop();
        const { contentEnd } = inner.header;
        finished = this.#finish(inner.header, contentEnd < 0 ? this.#at - 2 : contentEnd, inner.children);
      } else {
        const limit = inner?.limit ?? this.#bytes.length;
        const header = this.#header(limit);
        if (header.isParsed) {
          if (open.length >= MAX_DEPTH) throw new DecodeError("ASN.1 nests too deeply");
          open.push({ header, limit: header.contentEnd < 0 ? limit : header.contentEnd, children: [] });
        } else {
          this.#at = header.contentEnd;
          finished = this.#finish(header, header.contentEnd, []);
        }
      }
      if (finished === undefined) continue;
      const outer = open.at(-1);
      if (outer !== undefined) outer.children.push(finished);
      else if (this.#at < this.#bytes.length) throw new DecodeError("ASN.1 has trailing bytes");
      else return finished;
    }
  }
}

/**
 * Parses one element, which must span all bytes. Does not check primitive content.
 * @throws DecodeError
 */
export function readAsn1(bytes: Uint8Array): Element {
  return new BerReader(bytes).parseDocument();
}

export function* allElements(root: Element): Iterable<Element> {
  const pending = [root];
  for (let element = pending.pop(); element !== undefined; element = pending.pop()) {
    yield element;
    for (const child of element.children) pending.push(child);
  }
}

export function isUniversal(element: Element | undefined, tag: number): element is Element {
  return element !== undefined && element.tagClass === "universal" && element.tag === tag;
}

export function isSequence(element: Element | undefined): element is Element {
  return isUniversal(element, Tag.Sequence) && element.constructed;
}

/** Returns text like `1.2.840.10045.2.1`. */
export function formatObjectIdentifier(content: Uint8Array): string {
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
