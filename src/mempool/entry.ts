import { encodeBase58 } from "../bytes/base58.ts";
import type { AccountInfo } from "../interfaces.ts";
import type { Outcome } from "../ledger/validate.ts";
import {
  bodyBytes,
  definitionOf,
  type Transaction,
  transactionBytes,
  transactionId,
  UnsignedTransactionError,
} from "../transactions/index.ts";

export interface PoolEntry {
  readonly transaction: Transaction;
  readonly id: Uint8Array;
  readonly idText: string;
  /** In bytes. */
  readonly size: number;
  /** What accounts lose: balance (negative), newly leased and unbonding amounts. Page 05 §24.6. */
  readonly effects: readonly { readonly address: Uint8Array; readonly effect: AccountInfo }[];
}

/** In bytes; the body's size for an unsigned transaction, which is rejected later. */
export function sizeOf(transaction: Transaction): number {
  try {
    return transactionBytes(transaction).length;
  } catch (error) {
    if (error instanceof UnsignedTransactionError) return bodyBytes(transaction).length;
    throw error;
  }
}

export function entryOf(transaction: Transaction, outcome: Outcome): PoolEntry {
  const id = transactionId(transaction);
  const size = sizeOf(transaction);
  return { transaction, id, idText: encodeBase58(id), size, effects: lossesOf(outcome) };
}

function lossesOf(outcome: Outcome): PoolEntry["effects"] {
  const effects: { address: Uint8Array; effect: AccountInfo }[] = [];
  for (const { address, balance, leaseOut, unbonding } of outcome.effect.deltas.list) {
    const effect = {
      balance: balance < 0n ? balance : 0n,
      leaseIn: 0n,
      leaseOut: leaseOut > 0n ? leaseOut : 0n,
      unbonding: unbonding > 0n ? unbonding : 0n,
    };
    if (effect.balance !== 0n || effect.leaseOut !== 0n || effect.unbonding !== 0n)
      effects.push({ address, effect });
  }
  return effects;
}

export function anchorsOf(transaction: Transaction): readonly Uint8Array[] {
  return definitionOf(transaction).anchors?.(transaction) ?? [];
}
