/** A certificate with arbitrary names. Nothing checks its signature. */
import { encodeUtf8 } from "../../../src/bytes/utf8.ts";
import { type Element, readAsn1 } from "../../../src/crypto/asn1.ts";

const SEQUENCE = 0x30;
const SET = 0x31;
const UTF8_STRING = 0x0c;
/** 2.5.4.3, the common name, and 2.5.4.10, the organisation. */
const COMMON_NAME = Uint8Array.of(0x06, 3, 0x55, 4, 3);
const ORGANISATION = Uint8Array.of(0x06, 3, 0x55, 4, 10);

function der(tag: number, ...parts: readonly Uint8Array[]): Uint8Array {
  const content = Buffer.concat(parts);
  const { length } = content;
  const head = length < 128 ? [tag, length] : [tag, 0x82, length >> 8, length & 255];
  // Two bytes of length are not minimal for lengths below 256.
  if (length >= 128 && length < 256) head.splice(1, 3, 0x81, length);
  return Buffer.concat([Uint8Array.from(head), content]);
}

function name(texts: readonly string[]): Uint8Array {
  const parts = texts.map((text, i) =>
    der(SET, der(SEQUENCE, i === 0 ? COMMON_NAME : ORGANISATION, der(UTF8_STRING, encodeUtf8(text)))),
  );
  return der(SEQUENCE, ...parts);
}

/**
 * Renames the subject and the issuer of a certificate.
 * @param names common name of the subject, then organisations; the issuer has them in reverse order
 */
export function renamed(certificate: Uint8Array, names: readonly string[]): Uint8Array {
  const [inner, ...rest] = readAsn1(certificate).children;
  // Version, serial number, algorithm, issuer, validity, subject and the rest.
  const parts = inner.children.map(({ encoded }: Element, i) => {
    if (i === 3) return name([...names].reverse());
    return i === 5 ? name(names) : encoded;
  });
  return der(SEQUENCE, der(SEQUENCE, ...parts), ...rest.map(({ encoded }) => encoded));
}
