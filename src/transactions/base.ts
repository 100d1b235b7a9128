import type { PublicKey } from "../crypto/key-types.ts";

/**
 * The members of every transaction. Page 02 §3, §4.1.
 *
 * Transactions are immutable. Make a changed copy with `copyTransaction` or `signTransaction`.
 */
export interface TransactionBase {
  /** Type number, 1 to 127. Page 02 §1. */
  readonly type: number;
  /** Version of the layout, 1 to 4; 1 for types that do not write one. */
  readonly version: number;
  /** Unsigned byte; the network's own in layouts without it. */
  readonly chainId: number;
  /** Milliseconds since 1970; any signed 64-bit integer. */
  readonly timestamp: bigint;
  /** A genesis transaction has the one-byte ed25519 key `00` (page 02 §10.1). */
  readonly sender: PublicKey;
  /** 26 bytes. */
  readonly senderAddress: Uint8Array;
  /** Key of the account that pays the fee instead of the sender. */
  readonly sponsor?: PublicKey | undefined;
  /** 26 bytes; present exactly if `sponsor` is. */
  readonly sponsorAddress?: Uint8Array | undefined;
  /** In 10^-8 tokens; 0 for genesis. */
  readonly fee: bigint;
  /** Signatures in the order of the bytes; exactly one in some layouts. */
  readonly proofs: readonly Uint8Array[];
}

/** What a parser needs to know about the network. */
export interface NetworkRules {
  /** Unsigned byte. */
  readonly chainId: number;
  /** True if the type "payment" (2) exists (page 02 §10.17). */
  readonly payment: boolean;
}
