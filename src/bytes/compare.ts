/** For this length and above, Node's comparison is faster. */
const MIN_NATIVE_LENGTH = 512;
const nativeCompare = (globalThis as { Buffer?: Pick<typeof Buffer, "compare"> }).Buffer?.compare;

export function bytesEqual(a: Uint8Array, b: Uint8Array): boolean {
  if (a === b) return true;
  const length = a.length;
  if (length !== b.length) return false;
  if (length >= MIN_NATIVE_LENGTH && nativeCompare !== undefined) return nativeCompare(a, b) === 0;
  for (let i = 0; i < length; i++) if (a[i] !== b[i]) return false;
  return true;
}

/** Orders by unsigned bytes; a prefix comes first. */
export function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const difference = a[i] - b[i];
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

/** Characters per call of `String.fromCharCode`. */
const KEY_CHUNK = 4_096;

/** Written out, because this takes half the time of a loop. */
function key26(b: Uint8Array): string {
  // biome-ignore format: one argument per line would hide the function
  return String.fromCharCode(
    b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12],
    b[13], b[14], b[15], b[16], b[17], b[18], b[19], b[20], b[21], b[22], b[23], b[24], b[25],
  );
}

function key32(b: Uint8Array): string {
  // biome-ignore format: as above
  return String.fromCharCode(
    b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13], b[14], b[15],
    b[16], b[17], b[18], b[19], b[20], b[21], b[22], b[23], b[24], b[25], b[26], b[27], b[28], b[29], b[30], b[31],
  );
}

function key4(b: Uint8Array): string {
  return String.fromCharCode(b[0], b[1], b[2], b[3]);
}

function key6(b: Uint8Array): string {
  return String.fromCharCode(b[0], b[1], b[2], b[3], b[4], b[5]);
}

/** A `Map` or `Set` key with one character per byte. */
export function bytesKey(bytes: Uint8Array): string {
  if (bytes.length === 26) return key26(bytes);
  if (bytes.length === 32) return key32(bytes);
  if (bytes.length === 4) return key4(bytes);
  if (bytes.length === 6) return key6(bytes);
  if (bytes.length <= KEY_CHUNK) return String.fromCharCode.apply(null, bytes as unknown as number[]);
  let text = "";
  for (let i = 0; i < bytes.length; i += KEY_CHUNK) text += bytesKey(bytes.subarray(i, i + KEY_CHUNK));
  return text;
}

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
