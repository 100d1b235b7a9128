/** Page 05 §12, §15. */
import type { JsonOut } from "../bytes/json.ts";
import { type DataEntry, entryLength } from "../transactions/data-entry.ts";
import type { Transaction } from "../transactions/index.ts";
import type { AssociationStateView } from "./associations.ts";
import type { Effect } from "./effect.ts";
import type { Era, FeeSchedule } from "./era.ts";
import type { Refusal } from "./refusal.ts";
import type { LedgerView } from "./state.ts";

/** Units in schedules 1 to 4, fee points in schedule 5. */
type MinimumFee<T> = (transaction: T) => bigint;

export interface TransactionRule<T extends Transaction> {
  /** A schedule without an entry refuses the type. */
  readonly fees: Fees<T>;
  /** Makes the type's checks, and returns the transaction's effect without the fee. Writes nothing. Page 05 §15. */
  effect(view: LedgerView, transaction: T, era: Era): Effect | Refusal;
  /** Amount that the sender must own in addition to the declared fee, even if a sponsor pays the fee. Page 05 §10.6. */
  sentAmount?(transaction: T): bigint;
  /** `{ script: undefined }` removes the sender's script. Default: no change. */
  newScript?(transaction: T): { readonly script: Uint8Array | undefined };
  /** Checks that apply only to requests of the REST interface. Page 05 §22.4. */
  refuseRequest?(view: RequestView, transaction: T): Refusal | undefined;
  /** JSON members that depend on the current state. Page 06 §5.4. */
  stateJson?(state: StateForJson, transaction: T): Readonly<Record<string, JsonOut>>;
}

/** Each member must cost only one lookup. */
export type RequestView = Pick<LedgerView, "lease"> & AssociationStateView;

interface StateForJson {
  readonly leases: { isActive(id: Uint8Array): boolean };
  readonly transactions: {
    byId(id: Uint8Array): { readonly transaction: Transaction } | undefined;
  };
}

type Fees<T> = { readonly [schedule in FeeSchedule]?: MinimumFee<T> };

export function fixedFees(fees: { readonly [schedule in FeeSchedule]?: bigint }): Fees<unknown> {
  return Object.fromEntries(Object.entries(fees).map(([schedule, fee]) => [schedule, () => fee]));
}

export function fixedFee(units: bigint): MinimumFee<unknown> {
  return () => units;
}

export function perItemFee<T>(
  base: bigint,
  perItem: bigint,
  count: (transaction: T) => number,
): MinimumFee<T> {
  return (transaction) => base + perItem * BigInt(count(transaction));
}

/** Size unit of schedules 2 to 4, bytes. Page 05 §12.4. */
export const LARGE_UNIT = 262_144;
/** Size unit of schedule 5, bytes. */
export const SMALL_UNIT = 256;

/** Size of entries in units of `size` bytes, rounded up. Page 05 §12. */
export function dataUnits(entries: readonly DataEntry[], size: number): number {
  if (entries.length === 0) return 0;
  let bytes = 0;
  for (const entry of entries) bytes += entryLength(entry);
  return Math.floor((bytes - 1) / size) + 1;
}

/** Kibibytes after the first, rounded up. Schedule 1 charges for them. Page 05 §12.1. */
export function extraKibibytes(bodyLength: number): number {
  return Math.floor((bodyLength - 1) / 1024);
}
