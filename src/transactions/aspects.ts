/** What other layers ask of a type of transaction. Each answer stands once: in the file of the type. */
import type { JsonOut } from "../bytes/json.ts";
import type { PublicKey } from "../crypto/key-types.ts";
import type { ObjectType } from "../script/values/types.ts";
import type { Value } from "../script/values/values.ts";
import type { DataEntry } from "./data-entry.ts";

/** Tokens handed to an account. */
export interface Payout {
  /** Address, 26 bytes. */
  readonly recipient: Uint8Array;
  /** In 10^-8 tokens, 0 allowed. */
  readonly amount: bigint;
}

/** A relation of the sender to another account. Page 05 §19. */
export interface AssociationTerms {
  readonly associationType: bigint;
  /** Address, 26 bytes. */
  readonly recipient: Uint8Array;
  readonly subject?: Uint8Array | undefined;
  /** Milliseconds since 1970. */
  readonly expires?: bigint | undefined;
  readonly data?: readonly DataEntry[];
}

/** What the sender says, about another account if need be. Page 02 §10.16. */
export interface Declaration {
  readonly statementType: bigint;
  /** Address, 26 bytes. */
  readonly recipient?: Uint8Array | undefined;
  /** What it is about, such as the id of a credential. */
  readonly subject?: Uint8Array | undefined;
  readonly data?: readonly DataEntry[];
}

/** How scripts see a type. Page 08 §15. */
interface ScriptAspect<T> {
  /** Made with `transactionType`: the fields that only this type has, and those that all have. */
  readonly objectType: ObjectType;
  /** The values of the fields that only this type has, in their order. */
  readonly ownValues: (tx: T) => Value[];
}

/**
 * What a type has that not every type has. What is left out, it does not have. The functions give parts of the
 * transaction, or the transaction itself: they are asked for every transaction of the chain.
 */
export interface Aspects<T> {
  /**
   * What it did, as a sentence for people. `{name}` is a member of its JSON; `{name|hash|hashes}` is one that is a list:
   * its element where it has one, else their number and the word (`{name|key}`: with an s). `[… {name} …|else]` stands
   * only where the member does, and what follows the bar, if anything, where it does not. Without this, the name of the
   * type has to do.
   */
  readonly summary?: string | undefined;
  /** How scripts see it; without this a script that reads `tx` fails. Page 08 §15.3. */
  readonly script?: ScriptAspect<T> | undefined;
  /** Whether a node lists it by address even without `index-all-transactions`. Page 05 §22.2. */
  readonly portfolio?: boolean | undefined;
  /** The groups that the index lists it in, beside `all`. A new name is a new group. Page 07 §12.1. */
  readonly groups?: readonly string[] | undefined;
  /** Tokens that it hands to other accounts. */
  readonly payouts?: ((tx: T) => readonly Payout[]) | undefined;
  /** Whether it is a lease: in force under its id until it is cancelled. Page 06 §7.9. */
  readonly isLease?: boolean | undefined;
  /** Tokens that it lends, in 10^-8. */
  readonly leasedAmount?: ((tx: T) => bigint) | undefined;
  /** Id of the lease that it ends. */
  readonly cancelledLease?: ((tx: T) => Uint8Array) | undefined;
  /** As how many operations statistics count it; 1 unless it says so. Page 07 §13.2. */
  readonly operations?: ((tx: T) => number) | undefined;
  /** Hashes that it anchors. Page 07 §7.1. */
  readonly anchors?: ((tx: T) => readonly Uint8Array[]) | undefined;
  /** Hashes that it anchors under keys. Page 07 §7.7. */
  readonly mappedAnchors?:
    | ((tx: T) => readonly (readonly [key: Uint8Array, value: Uint8Array])[])
    | undefined;
  /** The association that it issues, or revokes. */
  readonly association?:
    | { readonly revokes: boolean; readonly terms: (tx: T) => AssociationTerms }
    | undefined;
  /** Entries that it puts on the sender's account. */
  readonly entries?: ((tx: T) => readonly DataEntry[]) | undefined;
  /** Keys of accounts that it makes known. */
  readonly accounts?: ((tx: T) => readonly PublicKey[]) | undefined;
  /** What it states. */
  readonly declaration?: ((tx: T) => Declaration) | undefined;
  /**
   * Members of its JSON that the list of an address shows in another form when the address is not the sender.
   * Page 06 §7.5.
   */
  readonly recipientJson?: ((tx: T, address: Uint8Array) => Readonly<Record<string, JsonOut>>) | undefined;
}
