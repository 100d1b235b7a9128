/** Page 08 §15. */
import type { ObjectType } from "./types.ts";
import type { Value } from "./values.ts";

interface VisibleTransaction {
  readonly version: number;
  /** Milliseconds since 1970. */
  readonly timestamp: bigint;
  /** In 10^-8 tokens. */
  readonly fee: bigint;
  readonly sender: { readonly bytes: Uint8Array };
  /** 26-byte address. */
  readonly senderAddress: Uint8Array;
  /** At most 8. */
  readonly proofs: readonly Uint8Array[];
}

interface TypeFields {
  /** Created with `transactionType`. */
  readonly type: ObjectType;
  /** Values in the type's field order. */
  readonly values: readonly Value[];
}

/** Members other than `transaction` may be computed on each read. */
export interface ScriptTransaction {
  readonly transaction: VisibleTransaction;
  /** Undefined if scripts cannot read the type: using `tx` then fails. Page 08 §15.3. */
  readonly typeFields: TypeFields | undefined;
  /** 32 bytes. */
  readonly id: Uint8Array;
  readonly bodyBytes: Uint8Array;
}
