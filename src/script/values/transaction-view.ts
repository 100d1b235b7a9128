/** What a script sees of a transaction. Page 08 §15. */
import type { ObjectType } from "./types.ts";
import type { Value } from "./values.ts";

/** Fields of every transaction that scripts see. */
interface VisibleTransaction {
  readonly version: number;
  /** Milliseconds since 1970. */
  readonly timestamp: bigint;
  readonly fee: bigint;
  readonly sender: { readonly bytes: Uint8Array };
  /** 26 bytes. */
  readonly senderAddress: Uint8Array;
  /** At most 8. */
  readonly proofs: readonly Uint8Array[];
}

/** Fields of one transaction type. */
interface OwnFields {
  /** Made with `transactionType`. */
  readonly type: ObjectType;
  /** In the order of the type's own fields. */
  readonly values: readonly Value[];
}

/**
 * The transaction that a script judges. `transaction` can be a parsed transaction. The other members may be
 * getters: they are read once, when the script first uses `tx`.
 */
export interface ScriptTransaction {
  readonly transaction: VisibleTransaction;
  /** Undefined for a type that scripts cannot see: reading `tx` fails. Page 08 §15.3. */
  readonly own: OwnFields | undefined;
  /** 32 bytes. */
  readonly id: Uint8Array;
  /** The signed bytes. */
  readonly bodyBytes: Uint8Array;
}
