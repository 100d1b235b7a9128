/**
 * Reading without bounds checks, as the reference does it in two places (proofs and data entries): positions
 * outside the bytes are moved to their ends. Page 02 §6.
 */
import { TransactionParseError } from "../errors.ts";

/** The bytes from `from` up to `to`, as far as there are any. @param first the index that counts as the first */
export function clampedSlice(bytes: Uint8Array, from: number, to: number, first = 0): Uint8Array {
  const start = Math.max(from, first);
  return bytes.subarray(start, Math.max(start, Math.min(to, bytes.length)));
}

/**
 * The signed 16-bit integer at `at`; a negative position counts as 0.
 * @throws TransactionParseError with the text of the reference's library when there are fewer than 2 bytes
 */
export function int16At(bytes: Uint8Array, at: number): number {
  const start = Math.max(at, 0);
  const left = bytes.length - start;
  if (left < 2) throw new TransactionParseError(`array too small: ${Math.max(left, 0)} < 2`);
  return ((bytes[start] << 24) >> 16) | bytes[start + 1];
}
