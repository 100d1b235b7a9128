/** What one transaction does to the state before its fee is charged: the diff of page 05 §7. */
import type { DataEntry } from "../transactions/data-entry.ts";
import type { AssociationTerms } from "../transactions/index.ts";
import { Deltas } from "./account.ts";
import type { LeaseState } from "./state.ts";

/** What a transaction writes beside balances; no type writes more than one of these. */
export type Change =
  | { readonly kind: "lease"; readonly id: Uint8Array; readonly lease: LeaseState }
  | {
      readonly kind: "sponsor";
      readonly address: Uint8Array;
      readonly sponsor: Uint8Array;
      /** False: it no longer sponsors the account. */
      readonly isAdded: boolean;
    }
  | { readonly kind: "script"; readonly address: Uint8Array; readonly script: Uint8Array | undefined }
  | { readonly kind: "data"; readonly address: Uint8Array; readonly entries: readonly DataEntry[] }
  | {
      readonly kind: "certificate";
      readonly address: Uint8Array;
      readonly certificate: Uint8Array | undefined;
    }
  | {
      readonly kind: "association";
      readonly sender: Uint8Array;
      readonly id: Uint8Array;
      readonly terms: AssociationTerms;
      readonly revokes: boolean;
    };

/** The effect of a transaction. The addresses of `deltas` are those in whose index it appears. */
export interface Effect {
  readonly deltas: Deltas;
  readonly change: Change | undefined;
  /** Amount destroyed by the transaction itself, its fee not counted. */
  readonly burned: bigint;
}

/** An effect. */
export function effect(deltas: Deltas, change?: Change | undefined, burned = 0n): Effect {
  return { deltas, change, burned };
}

/** An effect on no balance but the fee: the transaction appears in the lists of its sender only. */
export function senderEffect(sender: Uint8Array, change?: Change): Effect {
  return effect(new Deltas().add(sender, 0n), change);
}
