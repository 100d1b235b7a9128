/** Amounts are in 10^-8 tokens; addresses have 26 bytes. */
import type { JsonOut } from "../bytes/json.ts";
import type { PublicKey } from "../crypto/key-types.ts";
import type { ObjectType } from "../script/values/types.ts";
import type { Value } from "../script/values/values.ts";
import type { DataEntry } from "./data-entry.ts";

export interface Payout {
  readonly recipient: Uint8Array;
  readonly amount: bigint;
}

/** Page 05 §19. */
export interface AssociationTerms {
  readonly associationType: bigint;
  readonly recipient: Uint8Array;
  readonly subject?: Uint8Array | undefined;
  /** Milliseconds since 1970. */
  readonly expires?: bigint | undefined;
  readonly data?: readonly DataEntry[];
}

/** Page 02 §10.16. */
export interface StatementTerms {
  readonly statementType: bigint;
  readonly recipient?: Uint8Array | undefined;
  readonly subject?: Uint8Array | undefined;
  readonly data?: readonly DataEntry[];
}

/** Page 08 §15. */
interface ScriptAspect<T> {
  /** The transaction's type in scripts, created by `transactionType`. */
  readonly objectType: ObjectType;
  /** Values of the type's own fields, in order. */
  readonly ownValues: (tx: T) => Value[];
}

/** Parts of a transaction that rules, indexes and scripts use. The functions run for every transaction and must be fast. */
export interface Aspects<T> {
  /** If missing, scripts that use `tx` fail. Page 08 §15.3. */
  readonly script?: ScriptAspect<T> | undefined;
  /** True if transactions are indexed by address even without `index-all-transactions`. Page 05 §22.2. */
  readonly portfolio?: boolean | undefined;
  /** Index groups in addition to `all`; a new name creates a group. Page 07 §12.1. */
  readonly groups?: readonly string[] | undefined;
  readonly payouts?: ((tx: T) => readonly Payout[]) | undefined;
  readonly burnedAmount?: ((tx: T) => bigint) | undefined;
  /** True if transactions start a lease, whose id is the transaction id. Page 06 §7.9. */
  readonly isLease?: boolean | undefined;
  readonly leasedAmount?: ((tx: T) => bigint) | undefined;
  readonly cancelledLease?: ((tx: T) => Uint8Array) | undefined;
  /** Number of operations in statistics; default: 1. Page 07 §13.2. */
  readonly operations?: ((tx: T) => number) | undefined;
  /** Hashes: page 07 §7.1. */
  readonly anchors?: ((tx: T) => readonly Uint8Array[]) | undefined;
  /** Pairs of key and hash: page 07 §7.7. */
  readonly mappedAnchors?:
    | ((tx: T) => readonly (readonly [key: Uint8Array, value: Uint8Array])[])
    | undefined;
  readonly association?:
    | { readonly revokes: boolean; readonly terms: (tx: T) => AssociationTerms }
    | undefined;
  readonly entries?: ((tx: T) => readonly DataEntry[]) | undefined;
  /** Public keys that the transaction registers. */
  readonly accounts?: ((tx: T) => readonly PublicKey[]) | undefined;
  readonly statement?: ((tx: T) => StatementTerms) | undefined;
  /** JSON members that differ in the transaction lists of addresses other than the sender. Page 06 §7.5. */
  readonly recipientJson?: ((tx: T, address: Uint8Array) => Readonly<Record<string, JsonOut>>) | undefined;
}
