import type { PublicKey } from "../crypto/key-types.ts";

/**
 * Page 02 §3, §4.1. Immutable: `copyTransaction` and `signTransaction` create changed copies. Amounts are in 10^-8
 * tokens; addresses have 26 bytes.
 */
export interface TransactionBase {
  /** From 1 to 127. Page 02 §1. */
  readonly type: number;
  /** Layout version, 1 to 4; 1 for types without versions. */
  readonly version: number;
  /** Unsigned byte. If the layout has no chain id, that of the network. */
  readonly chainId: number;
  /** Milliseconds since 1970; any signed 64-bit integer. */
  readonly timestamp: bigint;
  /** Genesis transactions have the one-byte ed25519 key `00` (page 02 §10.1). */
  readonly sender: PublicKey;
  readonly senderAddress: Uint8Array;
  readonly sponsor?: PublicKey | undefined;
  /** Present if and only if `sponsor` is. */
  readonly sponsorAddress?: Uint8Array | undefined;
  /** 0 for genesis transactions. */
  readonly fee: bigint;
  /** Signatures in wire order; exactly one in some layouts. */
  readonly proofs: readonly Uint8Array[];
}

export interface NetworkRules {
  /** Unsigned byte. */
  readonly chainId: number;
  /** Enables the type "payment" (2), page 02 §10.17. */
  readonly payment: boolean;
}
