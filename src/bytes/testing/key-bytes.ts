/** Returns the bytes of a key of `bytesKey`. */
export function keyBytes(key: string): Uint8Array {
  return Uint8Array.from(key, (character) => character.charCodeAt(0));
}
