import type { PathStep } from "../chainpoint/merkle.ts";

/** Page 07 §7.1. */
export interface AnchorInfo {
  readonly transactionId: Uint8Array;
  readonly height: number;
  readonly position: number;
}

/** Path to the root of one of this node's Merkle trees. */
export interface LeafProof {
  readonly root: Uint8Array;
  readonly path: readonly PathStep[];
}

/** A (key, value) pair of a mapped anchor. Page 07 §7.7. */
export interface MappedAnchorInfo extends AnchorInfo {
  readonly value: Uint8Array;
  readonly sender: Uint8Array;
}

export interface AnchorQueries {
  first(hash: Uint8Array): AnchorInfo | undefined;
  /** Newest first. */
  mapped(key: Uint8Array): Iterable<MappedAnchorInfo>;
  /** A proof exists before the root is sent, and survives reverts of the root's transaction. */
  leaf(hash: Uint8Array): LeafProof | undefined;
}
