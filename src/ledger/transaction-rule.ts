/** What a transaction type brings to the ledger: its minimum fees, its effect, and what the state says of it. Page 05 §12, §15. */
import type { JsonOut } from "../bytes/json.ts";
import { type DataEntry, entryLength } from "../transactions/data-entry.ts";
import type { Transaction } from "../transactions/index.ts";
import type { AssociationStates } from "./associations.ts";
import type { Effect } from "./effect.ts";
import type { Era, FeeSchedule } from "./era.ts";
import type { Refusal } from "./refusal.ts";
import type { LedgerView } from "./state.ts";

/** Minimum fee of a transaction: units in schedules 1 to 4, fee points in schedule 5. */
type MinimumFee<T> = (transaction: T) => bigint;

/** The ledger's side of a transaction type. */
export interface TransactionRule<T extends Transaction> {
  /** By schedule; a type without an entry has no fee rule there and is refused. */
  readonly fees: Fees<T>;
  /** The type's own checks and its effect, the fee not counted. It writes nothing. Page 05 §15. */
  effect(view: LedgerView, transaction: T, era: Era): Effect | Refusal;
  /** What the sender must own together with the fee that it offers, whoever pays that; nothing by default. Page 05 §10.6. */
  sends?(transaction: T): bigint;
  /** What the REST interface refuses although blocks and peers may bring it. Page 05 §22.4. */
  refuseRequest?(view: RequestView, transaction: T): Refusal | undefined;
  /** Members of the JSON form that the state adds, as it is now. Page 06 §5.4. */
  stateJson?(state: ShownState, transaction: T): Readonly<Record<string, JsonOut>>;
}

/**
 * What requests are judged by. A client may send a request that names any account as its sender, so each member costs a
 * look-up, however much that account has.
 */
export type RequestView = Pick<LedgerView, "lease"> & AssociationStates;

/** What the JSON of a transaction shows of the state. */
interface ShownState {
  readonly leases: { isActive(id: Uint8Array): boolean };
  readonly transactions: {
    /** The newest inclusion of a transaction. */
    byId(id: Uint8Array): { readonly transaction: Transaction } | undefined;
  };
}

type Fees<T> = { readonly [schedule in FeeSchedule]?: MinimumFee<T> };

/** Fees that do not depend on the transaction, by schedule. */
export function fixedFees(fees: { readonly [schedule in FeeSchedule]?: bigint }): Fees<unknown> {
  return Object.fromEntries(Object.entries(fees).map(([schedule, fee]) => [schedule, () => fee]));
}

/** The same fee for every transaction. */
export function fixedFee(units: bigint): MinimumFee<unknown> {
  return () => units;
}

/** A base and an amount for each item. */
export function perItemFee<T>(base: bigint, each: bigint, count: (transaction: T) => number): MinimumFee<T> {
  return (transaction) => base + each * BigInt(count(transaction));
}

/** Size unit of schedules 2 to 4: more than any transaction may hold, so that any data is one unit. Page 05 §12.4. */
export const LARGE_UNIT = 262_144;
/** Size unit of schedule 5. */
export const SMALL_UNIT = 256;

/** How many units of `size` bytes the entries take; none for no entries. Page 05 §12. */
export function dataUnits(entries: readonly DataEntry[], size: number): number {
  if (entries.length === 0) return 0;
  let bytes = 0;
  for (const entry of entries) bytes += entryLength(entry);
  return Math.floor((bytes - 1) / size) + 1;
}

/** Started kibibytes beyond the first: how schedule 1 measures a body. Page 05 §12.1. */
export function extraKibibytes(bodyLength: number): number {
  return Math.floor((bodyLength - 1) / 1024);
}
