/** What a script may see of a transaction. Page 08 §15. */
import type { ObjectType } from "./types.ts";
import type { Value } from "./values.ts";

/** What scripts see of every transaction that they see at all. */
interface VisibleTransaction {
  readonly version: number;
  /** Milliseconds since 1970. */
  readonly timestamp: bigint;
  readonly fee: bigint;
  readonly sender: { readonly bytes: Uint8Array };
  /** Address of the sender, 26 bytes. */
  readonly senderAddress: Uint8Array;
  /** As in the transaction, at most 8. */
  readonly proofs: readonly Uint8Array[];
}

/** What scripts see of one type of transaction. */
interface OwnFields {
  /** Its object type, made with `transactionType`. */
  readonly type: ObjectType;
  /** The values of the fields that only this type has, in their order. */
  readonly values: readonly Value[];
}

/**
 * The transaction that a script judges. `transaction` is any object with these members, so that a parsed transaction
 * can be handed in as it is. The others may be getters: they are read when the script first uses `tx`, once.
 */
export interface ScriptTransaction {
  readonly transaction: VisibleTransaction;
  /** Undefined for a type that a script must not look at: reading `tx` fails. Page 08 §15.3. */
  readonly own: OwnFields | undefined;
  /** 32 bytes. */
  readonly id: Uint8Array;
  /** What is signed. */
  readonly bodyBytes: Uint8Array;
}
