/** Equality, order and map keys of byte strings, and joining them. */

/** Whether both have the same bytes. */
export function bytesEqual(a: Uint8Array, b: Uint8Array): boolean {
  const length = a.length;
  if (length !== b.length) return false;
  for (let i = 0; i < length; i++) if (a[i] !== b[i]) return false;
  return true;
}

/** Order by unsigned bytes, a prefix before what continues it: negative, zero or positive. */
export function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const difference = a[i] - b[i];
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

/** Arguments of one call stay far below what engines allow. */
const KEY_CHUNK = 4_096;

/** A text with one character a byte, to serve as the key of a `Map` or `Set`. */
export function bytesKey(bytes: Uint8Array): string {
  if (bytes.length <= KEY_CHUNK) return String.fromCharCode.apply(null, bytes as unknown as number[]);
  let text = "";
  for (let i = 0; i < bytes.length; i += KEY_CHUNK) text += bytesKey(bytes.subarray(i, i + KEY_CHUNK));
  return text;
}

/** The bytes whose key is `key` (see `bytesKey`). */
export function keyBytes(key: string): Uint8Array {
  const bytes = new Uint8Array(key.length);
  for (let i = 0; i < key.length; i++) bytes[i] = key.charCodeAt(i);
  return bytes;
}

/** The parts, one behind the other, in an array of their own. */
export function concatBytes(...parts: readonly Uint8Array[]): Uint8Array {
  let length = 0;
  for (const part of parts) length += part.length;
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}
