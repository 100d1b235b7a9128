/** The bytes of the transactions of the chain. Nobody else reads or writes them: where they lie is decided here. */

import type { Reader, Writer } from "../../storage/kv.ts";
import type { UnitKey } from "../../storage/places.ts";
import { tables } from "../../storage/tables.ts";
import { bodyOf, transactionOf, transactionsOf } from "../../storage/values/chain.ts";
import { type Transaction, transactionBytes } from "../../transactions/index.ts";

/** A transaction by the unit that brought it. */
export interface UnitPlace extends UnitKey {
  /** Place among the transactions of the unit, from 0. */
  readonly index: number;
}

/** Where the transactions of a chain are read from, in one of its states. Byte strings are views. */
export interface BlockBodies {
  /** The transactions of a key block or micro block, in order; none when there is no such unit. */
  ofUnit(unit: UnitKey): readonly Uint8Array[];
  /**
   * The transactions of a block, in order, its micro blocks included.
   * @param upTo only those of the units up to this sequence
   */
  ofBlock(height: number, upTo?: number | undefined): readonly Uint8Array[];
  /** A single transaction; undefined when the chain has none there. */
  transaction(place: UnitPlace): Uint8Array | undefined;
}

/** The bodies that lie in the tables of a store. */
export function storedBodies(reader: Reader): BlockBodies {
  return {
    ofUnit(unit) {
      const body = reader.get(tables.bodies, unit);
      return body === undefined ? [] : transactionsOf(body);
    },
    ofBlock(height, upTo) {
      const from = { height, sequence: 0 };
      const to = upTo === undefined ? { height: height + 1, sequence: 0 } : { height, sequence: upTo + 1 };
      const parts: Uint8Array[] = [];
      for (const [, body] of reader.range(tables.bodies, { from, to }))
        for (const bytes of transactionsOf(body)) parts.push(bytes);
      return parts;
    },
    transaction({ height, sequence, index }) {
      const body = reader.get(tables.bodies, { height, sequence });
      return body && transactionOf(body, index);
    },
  };
}

/**
 * Enters the transactions of a new unit.
 * @returns bytes of all of them together
 */
export function writeBody(writer: Writer, unit: UnitKey, transactions: readonly Transaction[]): number {
  if (transactions.length === 0) return 0;
  const body = bodyOf(transactions.map(transactionBytes));
  writer.insert(tables.bodies, unit, body);
  return body.bytes.length;
}
