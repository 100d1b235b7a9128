/**
 * Small byte strings that live long. Buffers of their own would cost a microsecond each and as much again to
 * collect, so they share slabs, as Node's own `Buffer` does: never hand the `buffer` of one to another thread, since a
 * whole slab would go with it.
 */
const SLAB_SIZE = 4096;
/** Longer ones get a buffer of their own. */
const MAX_LENGTH = SLAB_SIZE / 4;

let slab = new Uint8Array(SLAB_SIZE);
let used = 0;

/** A copy of the bytes, in unshared memory. Do not change it. */
export function copyToSlab(bytes: Uint8Array): Uint8Array {
  const { length } = bytes;
  if (length > MAX_LENGTH) return new Uint8Array(bytes);
  if (length > SLAB_SIZE - used) {
    slab = new Uint8Array(SLAB_SIZE);
    used = 0;
  }
  const start = used;
  used += length;
  slab.set(bytes, start);
  return slab.subarray(start, used);
}
