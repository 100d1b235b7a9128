import type { Reader, Writer } from "../../storage/kv.ts";
import type { UnitKey } from "../../storage/places.ts";
import { tables } from "../../storage/tables.ts";
import { bodyOf, transactionsOf } from "../../storage/values/chain.ts";
import { type Transaction, transactionBytes } from "../../transactions/index.ts";

/** A transaction's unit, and its index there, from 0. */
export interface UnitPlace extends UnitKey {
  readonly index: number;
}

/** Returns the bytes of a unit's transactions, as views of the stored body. */
export function unitBody(reader: Reader, unit: UnitKey): readonly Uint8Array[] {
  const body = reader.get(tables.bodies, unit);
  return body === undefined ? [] : transactionsOf(body);
}

/** Like `unitBody`, for a block with its micro blocks. @param upTo sequence of the last micro block to include */
export function blockBody(reader: Reader, height: number, upTo?: number | undefined): readonly Uint8Array[] {
  const from = { height, sequence: 0 };
  const to = upTo === undefined ? { height: height + 1, sequence: 0 } : { height, sequence: upTo + 1 };
  return Array.from(reader.range(tables.bodies, { from, to }), ([, body]) => transactionsOf(body)).flat();
}

/** @returns size of the stored transactions, bytes */
export function writeBody(writer: Writer, unit: UnitKey, transactions: readonly Transaction[]): number {
  if (transactions.length === 0) return 0;
  const body = bodyOf(transactions.map(transactionBytes));
  writer.insert(tables.bodies, unit, body);
  return body.bytes.length;
}
