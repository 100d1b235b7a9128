/** "Diff" in page 05 §7. */
import type { DataEntry } from "../transactions/data-entry.ts";
import type { AssociationTerms } from "../transactions/index.ts";
import { Deltas } from "./account.ts";
import type { LeaseState } from "./state.ts";

/** At most one per transaction. Changes of amounts are in `deltas`. */
export type Change =
  | { readonly kind: "lease"; readonly id: Uint8Array; readonly lease: LeaseState }
  | {
      readonly kind: "sponsor";
      readonly address: Uint8Array;
      readonly sponsor: Uint8Array;
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

/** What a transaction changes. The transaction is listed for the addresses that its rule puts in `deltas`. */
export interface Effect {
  readonly deltas: Deltas;
  readonly change: Change | undefined;
  /** Burned amount, without the fee. */
  readonly burned: bigint;
}

export function effect(deltas: Deltas, change?: Change | undefined, burned = 0n): Effect {
  return { deltas, change, burned };
}

/** An effect without changes of amounts. The transaction is listed for its sender. */
export function senderEffect(sender: Uint8Array, change?: Change): Effect {
  return effect(new Deltas().add(sender, 0n), change);
}
