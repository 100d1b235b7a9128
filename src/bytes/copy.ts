/** Copies bytes, also those of a `Buffer`, whose own `slice` returns a view. @param end exclusive */
export function copyBytes(bytes: Uint8Array, start?: number, end?: number): Uint8Array {
  return Uint8Array.prototype.slice.call(bytes, start, end);
}
