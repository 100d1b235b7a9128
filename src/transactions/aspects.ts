/** What other layers need to know about a transaction type. Only the file of the type defines it. */
import type { JsonOut } from "../bytes/json.ts";
import type { PublicKey } from "../crypto/key-types.ts";
import type { ObjectType } from "../script/values/types.ts";
import type { Value } from "../script/values/values.ts";
import type { DataEntry } from "./data-entry.ts";

export interface Payout {
  /** 26 bytes. */
  readonly recipient: Uint8Array;
  /** In 10^-8 tokens, 0 allowed. */
  readonly amount: bigint;
}

/** A relation of the sender to another account. Page 05 §19. */
export interface AssociationTerms {
  readonly associationType: bigint;
  /** 26 bytes. */
  readonly recipient: Uint8Array;
  readonly subject?: Uint8Array | undefined;
  /** Milliseconds since 1970. */
  readonly expires?: bigint | undefined;
  readonly data?: readonly DataEntry[];
}

/** A statement of the sender, optionally about another account. Page 02 §10.16. */
export interface Declaration {
  readonly statementType: bigint;
  /** 26 bytes. */
  readonly recipient?: Uint8Array | undefined;
  /** Such as the id of a credential. */
  readonly subject?: Uint8Array | undefined;
  readonly data?: readonly DataEntry[];
}

/** How scripts see a type. Page 08 §15. */
interface ScriptAspect<T> {
  /** Made with `transactionType`. */
  readonly objectType: ObjectType;
  /** Values of the type's own fields, in order. */
  readonly ownValues: (tx: T) => Value[];
}

/**
 * The aspects of a transaction type. A missing one does not apply. The functions return parts of the
 * transaction or the transaction itself, because they are called for every transaction of the chain.
 */
export interface Aspects<T> {
  /**
   * What the transaction did, as a sentence. `{name}` is a member of its JSON. `{name|hash|hashes}` is a
   * list: its only element, or the number of elements and the plural (`{name|key}` appends an s). `[… {name}
   * …|else]` is shown only if the member is present; the part after the bar is shown otherwise. Default: the
   * name of the type.
   */
  readonly summary?: string | undefined;
  /** How scripts see the type. Without it, reading `tx` fails. Page 08 §15.3. */
  readonly script?: ScriptAspect<T> | undefined;
  /** True if a node lists it by address even without `index-all-transactions`. Page 05 §22.2. */
  readonly portfolio?: boolean | undefined;
  /** Groups of the index in addition to `all`. A new name makes a new group. Page 07 §12.1. */
  readonly groups?: readonly string[] | undefined;
  readonly payouts?: ((tx: T) => readonly Payout[]) | undefined;
  /** Active under its id until it is cancelled. Page 06 §7.9. */
  readonly isLease?: boolean | undefined;
  /** In 10^-8 tokens. */
  readonly leasedAmount?: ((tx: T) => bigint) | undefined;
  readonly cancelledLease?: ((tx: T) => Uint8Array) | undefined;
  /** Number of operations in statistics; 1 by default. Page 07 §13.2. */
  readonly operations?: ((tx: T) => number) | undefined;
  /** Anchored hashes. Page 07 §7.1. */
  readonly anchors?: ((tx: T) => readonly Uint8Array[]) | undefined;
  /** Hashes anchored under keys. Page 07 §7.7. */
  readonly mappedAnchors?:
    | ((tx: T) => readonly (readonly [key: Uint8Array, value: Uint8Array])[])
    | undefined;
  readonly association?:
    | { readonly revokes: boolean; readonly terms: (tx: T) => AssociationTerms }
    | undefined;
  readonly entries?: ((tx: T) => readonly DataEntry[]) | undefined;
  readonly accounts?: ((tx: T) => readonly PublicKey[]) | undefined;
  readonly declaration?: ((tx: T) => Declaration) | undefined;
  /** Members of its JSON that differ in the list of an address that is not the sender. Page 06 §7.5. */
  readonly recipientJson?: ((tx: T, address: Uint8Array) => Readonly<Record<string, JsonOut>>) | undefined;
}
