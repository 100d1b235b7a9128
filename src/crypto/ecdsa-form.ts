/** Page 01 §7.3. */

export type EcdsaKeyType = "secp256k1" | "secp256r1";

const SCALAR_LENGTH = 32;
const COMPRESSED_LENGTH = 33;
const UNCOMPRESSED_LENGTH = 65;

/**
 * Returns a compressed or uncompressed point; undefined for other forms. A hybrid point becomes uncompressed if its
 * first byte matches y's parity.
 */
export function normalizePoint(key: Uint8Array): Uint8Array | undefined {
  const form = key[0];
  if (key.length === COMPRESSED_LENGTH) return form === 2 || form === 3 ? key : undefined;
  if (key.length !== UNCOMPRESSED_LENGTH) return undefined;
  if (form === 4) return key;
  if ((form !== 6 && form !== 7) || (key[UNCOMPRESSED_LENGTH - 1] & 1) !== (form & 1)) return undefined;
  const point = Uint8Array.from(key);
  point[0] = 4;
  return point;
}

function to32Bytes(half: Uint8Array): Uint8Array | undefined {
  let start = 0;
  while (start < half.length && half[start] === 0) start++;
  const size = half.length - start;
  if (size > SCALAR_LENGTH) return undefined;
  const number = new Uint8Array(SCALAR_LENGTH);
  number.set(half.subarray(start), SCALAR_LENGTH - size);
  return number;
}

/**
 * Splits a signature of any length into r and s, big-endian, 32 bytes each; undefined if r or s needs more bytes. An
 * odd last byte is ignored.
 */
export function signatureScalars(
  signature: Uint8Array,
): { readonly r: Uint8Array; readonly s: Uint8Array } | undefined {
  const half = signature.length >> 1;
  const r = to32Bytes(signature.subarray(0, half));
  const s = to32Bytes(signature.subarray(half, 2 * half));
  return r === undefined || s === undefined ? undefined : { r, s };
}
