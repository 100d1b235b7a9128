import type { Transaction } from "../transactions/index.ts";

const SIGN = 1n << 63n;

/** Eight characters, one per byte, in the order of unsigned integers. */
function ordered(value: bigint): string {
  let text = "";
  for (let shift = 56n; shift >= 0n; shift -= 8n)
    text += String.fromCharCode(Number((value >> shift) & 0xffn));
  return text;
}

/** A key in the order of signed 64-bit integers. */
function ascending(value: bigint): string {
  return ordered(BigInt.asUintN(64, value ^ SIGN));
}

function descending(value: bigint): string {
  return ordered(BigInt.asUintN(64, ~(value ^ SIGN)));
}

/** A sort key in pool order: declared fee descending, timestamp ascending, Base58 id ascending. Page 05 §24.4. */
export function poolKey({ fee, timestamp }: Transaction, idText: string): string {
  return descending(fee) + ascending(timestamp) + idText;
}

/** A sort key in the order of timestamps. */
export function ageKey({ timestamp }: Transaction, idText: string): string {
  return ascending(timestamp) + idText;
}
