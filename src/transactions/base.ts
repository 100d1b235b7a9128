import type { PublicKey } from "../crypto/key-types.ts";

/**
 * What every transaction has, whatever its type. Page 02 §3, §4.1.
 *
 * Transactions are values: nobody changes one. Make a changed copy with `copyTransaction` or `signTransaction`.
 */
export interface TransactionBase {
  /** Type number, 1 to 127. Page 02 §1. */
  readonly type: number;
  /** Version of the layout, 1 to 4; 1 for the types that write none. */
  readonly version: number;
  /** Chain id as an unsigned byte; the network's own in layouts that do not carry it. */
  readonly chainId: number;
  /** Milliseconds since 1970; a signed 64-bit integer, not limited by any static rule. */
  readonly timestamp: bigint;
  /** Key of the sender. A genesis transaction has the one-byte ed25519 key `00` (page 02 §10.1). */
  readonly sender: PublicKey;
  /** Address of the sender, 26 bytes. */
  readonly senderAddress: Uint8Array;
  /** Key of the account that pays the fee in the place of the sender. */
  readonly sponsor?: PublicKey | undefined;
  /** Address of the sponsor, 26 bytes; present exactly when `sponsor` is. */
  readonly sponsorAddress?: Uint8Array | undefined;
  /** Fee offered, in 10^-8 tokens; 0 for genesis. */
  readonly fee: bigint;
  /** Signatures in the order of the bytes. In the forms with one signature it is the only element. */
  readonly proofs: readonly Uint8Array[];
}

/** What a parser has to know of the network that it works for. */
export interface NetworkRules {
  /** Chain id as an unsigned byte. */
  readonly chainId: number;
  /** Whether the type "payment" (2) exists on this network (page 02 §10.17). */
  readonly payment: boolean;
}
