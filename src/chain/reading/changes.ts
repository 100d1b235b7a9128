import { bytesEqual } from "../../bytes/compare.ts";
import { addressOf } from "../../crypto/addresses.ts";
import type { AppliedUnit, ChainCursor, ChangesSince, LeavingUnit } from "../../interfaces.ts";
import type { Reader } from "../../storage/kv.ts";
import { tables } from "../../storage/tables.ts";
import { transactionsOf } from "../../storage/values/chain.ts";
import type { RevertedUnit } from "../../storage/values/reverted.ts";
import type { NetworkRules } from "../../transactions/index.ts";
import { microBlockRow } from "./micro-blocks.ts";
import { type ChainUnit, storedTransactions, unitAt, unitsFrom } from "./stored-units.ts";

export const chainStart: ChainCursor = { height: 0, sequence: 0, id: new Uint8Array(0) };

/** Returns the newest unit that is not a persist unit. */
export function newestUnit(reader: Reader): ChainCursor {
  return reader.get(tables.tip, undefined) ?? chainStart;
}

export function isOnChain(reader: Reader, cursor: ChainCursor): boolean {
  const { height, sequence, id } = cursor;
  if (height === 0) return true;
  const found =
    sequence === 0
      ? reader.get(tables.headers, height)?.baseSignature
      : microBlockRow(reader, cursor)?.totalSignature;
  return found !== undefined && bytesEqual(found, id);
}

/**
 * Returns the units reverted and committed since `cursor`, reverted ones first.
 * @param transactionLimit no unit is added after this number of transactions
 */
export function changesSince(
  reader: Reader,
  network: NetworkRules,
  cursor: ChainCursor,
  unitLimit: number,
  transactionLimit: number = Number.POSITIVE_INFINITY,
): ChangesSince {
  const reverted: AppliedUnit[] = [];
  const committed: AppliedUnit[] = [];
  let at = cursor;
  let ancestor = cursor;
  let transactions = 0;
  const isFull = (): boolean =>
    reverted.length + committed.length >= unitLimit || transactions >= transactionLimit;
  const answer = (complete: boolean): ChangesSince => ({
    kind: "changes",
    reverted,
    committed,
    ancestor,
    cursor: at,
    persistedHeight: reader.get(tables.heights, undefined)?.persisted ?? 0,
    complete,
  });
  while (!isOnChain(reader, at)) {
    if (isFull()) return answer(false);
    const found = revertedUnit(reader, network, at);
    if (found === undefined) return { kind: "out of reach" };
    reverted.push(found.unit);
    transactions += found.unit.transactions.length;
    at = found.parent;
    ancestor = at;
  }
  const next = at.height === 0 ? { height: 1, sequence: 0 } : { ...at, sequence: at.sequence + 1 };
  for (const unit of unitsFrom(reader, network, next)) {
    if (isFull()) return answer(false);
    committed.push(detachedUnit(unit));
    transactions += unit.transactionCount;
    at = { height: unit.height, sequence: unit.sequence, id: unit.id };
  }
  return answer(true);
}

/** Copies a unit and parses its transactions, so that the reader can be closed. */
function detachedUnit({ height, sequence, id, timestamp, generator, transactions }: ChainUnit): AppliedUnit {
  return { height, sequence, id, timestamp, generator, transactions };
}

/** Returns a unit on the chain or in the log of reverted units. */
export function unitOf(reader: Reader, network: NetworkRules, cursor: ChainCursor): AppliedUnit | undefined {
  if (!isOnChain(reader, cursor)) return revertedUnit(reader, network, cursor)?.unit;
  const unit = unitAt(reader, network, cursor);
  return unit && detachedUnit(unit);
}

function revertedUnit(
  reader: Reader,
  network: NetworkRules,
  { height, sequence, id }: ChainCursor,
): { readonly unit: AppliedUnit; readonly parent: ChainCursor } | undefined {
  const row = reader.get(tables.revertedUnits, id);
  if (row === undefined || row.height !== height || row.sequence !== sequence) return undefined;
  return { unit: { ...leavingUnit(id, row, network) }, parent: row.parent };
}

/** Returns a unit that leaves the chain, with transactions parsed on demand. */
export function leavingUnit(
  id: Uint8Array,
  row: Omit<RevertedUnit, "serial" | "parent">,
  network: NetworkRules,
): LeavingUnit {
  const { height, sequence, header, micro, body, fees, recorded } = row;
  return {
    height,
    sequence,
    id,
    timestamp: header.timestamp,
    generator: addressOf(header.generator, network.chainId),
    transactionCount: body?.lengths.length ?? 0,
    get transactions() {
      return body === undefined || fees === undefined || recorded === undefined
        ? []
        : storedTransactions(transactionsOf(body), fees, recorded, micro?.firstPosition ?? 0, network);
    },
  };
}
