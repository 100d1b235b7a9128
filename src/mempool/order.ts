import type { Transaction } from "../transactions/index.ts";

const SIGN = 1n << 63n;

/** Eight characters, one a byte, whose order is that of the unsigned integers. */
function ordered(value: bigint): string {
  let text = "";
  for (let shift = 56n; shift >= 0n; shift -= 8n)
    text += String.fromCharCode(Number((value >> shift) & 0xffn));
  return text;
}

/** A signed 64-bit integer so that text order is number order. */
function ascending(value: bigint): string {
  return ordered(BigInt.asUintN(64, value ^ SIGN));
}

function descending(value: bigint): string {
  return ordered(BigInt.asUintN(64, ~(value ^ SIGN)));
}

/**
 * A text whose order is the order of the pool: declared fee descending, timestamp ascending, Base58 id ascending.
 * Page 05 §24.4.
 */
export function poolKey({ fee, timestamp }: Transaction, idText: string): string {
  return descending(fee) + ascending(timestamp) + idText;
}

/** A text whose order is that of the timestamps. */
export function ageKey({ timestamp }: Transaction, idText: string): string {
  return ascending(timestamp) + idText;
}
