/** Signed 64-bit integers over `bigint`. Page 01 §1. */

/** The smallest signed 64-bit integer, -2^63. */
export const INT64_MIN = -(2n ** 63n);
/** The largest signed 64-bit integer, 2^63 - 1. */
export const INT64_MAX = 2n ** 63n - 1n;

/** A byte as a signed integer. */
export function int8(byte: number): number {
  return (byte << 24) >> 24;
}

/** The value modulo 2^64 as a signed integer: how the reference's arithmetic wraps. */
export function int64(value: bigint): bigint {
  return BigInt.asIntN(64, value);
}

/** Whether the value is a signed 64-bit integer. */
export function fitsInt64(value: bigint): boolean {
  return value >= INT64_MIN && value <= INT64_MAX;
}

/**
 * The sum of two signed 64-bit integers, or INT64_MIN when it does not fit, whichever side it leaves on.
 * Page 05 §1, "safeSum".
 */
export function safeSum(a: bigint, b: bigint): bigint {
  const sum = a + b;
  return fitsInt64(sum) ? sum : INT64_MIN;
}
