/** Allocates small, long-lived byte strings from shared buffers (slabs), which must never be transferred. */

const SLAB_SIZE = 4096;
/** Longer byte strings get a separate buffer. */
const MAX_LENGTH = SLAB_SIZE / 4;

let slab = new Uint8Array(SLAB_SIZE);
let used = 0;

/** Copies bytes, also from a SharedArrayBuffer. Do not change the copy. */
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
