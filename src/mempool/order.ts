import type { Transaction } from "../transactions/index.ts";

const SIGN_BIT = 1n << 63n;

function bigEndianText(value: bigint): string {
  let text = "";
  for (let shift = 56n; shift >= 0n; shift -= 8n)
    text += String.fromCharCode(Number((value >> shift) & 0xffn));
  return text;
}

function ascending(value: bigint): string {
  return bigEndianText(BigInt.asUintN(64, value ^ SIGN_BIT));
}

function descending(value: bigint): string {
  return bigEndianText(BigInt.asUintN(64, ~(value ^ SIGN_BIT)));
}

/**
 * Sorts by declared fee descending, timestamp and Base58 id ascending. Page 05 §24.4.
 */
export function poolKey({ fee, timestamp }: Transaction, idText: string): string {
  return descending(fee) + ascending(timestamp) + idText;
}

export function ageKey({ timestamp }: Transaction, idText: string): string {
  return ascending(timestamp) + idText;
}
