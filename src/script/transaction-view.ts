/** What a script may see of a transaction. Page 08 §15. */

interface Key {
  readonly bytes: Uint8Array;
}

interface Common {
  readonly version: number;
  /** Milliseconds since 1970. */
  readonly timestamp: bigint;
  readonly fee: bigint;
  readonly sender: Key;
  /** Address of the sender, 26 bytes. */
  readonly senderAddress: Uint8Array;
  /** As in the transaction, at most 8. */
  readonly proofs: readonly Uint8Array[];
}

interface Entry {
  readonly key: string;
  readonly value: bigint | boolean | Uint8Array | string;
}

interface Payout {
  readonly recipient: Uint8Array;
  readonly amount: bigint;
}

/** A transaction that a script sees whole; recipients are addresses of 26 bytes. */
export type VisibleTransaction = Common &
  (
    | {
        readonly type: 4;
        readonly recipient: Uint8Array;
        readonly amount: bigint;
        readonly attachment: Uint8Array;
      }
    | { readonly type: 8; readonly recipient: Uint8Array; readonly amount: bigint }
    | { readonly type: 9; readonly leaseId: Uint8Array }
    | { readonly type: 11; readonly transfers: readonly Payout[]; readonly attachment: Uint8Array }
    | { readonly type: 12; readonly data: readonly Entry[] }
    /** The script in its canonical bytes, checksum included; undefined when the transaction removes it. */
    | { readonly type: 13; readonly script: Uint8Array | undefined }
    | { readonly type: 15; readonly anchors: readonly Uint8Array[] }
    | { readonly type: 16 | 17; readonly recipient: Uint8Array; readonly associationType: bigint }
    | { readonly type: 18 | 19; readonly recipient: Uint8Array }
    | { readonly type: 20; readonly accounts: readonly Key[] }
  );

/** A transaction that a script must not look at: reading `tx` fails. Page 08 §15.3. */
export interface HiddenTransaction {
  readonly type: 1 | 2 | 21 | 22 | 23 | 24;
}

/**
 * The transaction that a script judges. `transaction` is any object with these members, so that a parsed transaction
 * can be handed in as it is. `id` and `bodyBytes` may be getters: they are read when the script first uses `tx`, once.
 */
export interface ScriptTransaction {
  readonly transaction: VisibleTransaction | HiddenTransaction;
  /** 32 bytes. */
  readonly id: Uint8Array;
  /** What is signed. */
  readonly bodyBytes: Uint8Array;
}
