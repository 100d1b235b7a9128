/** Anchored hashes. Page 07 §7. */
import type { PathStep } from "../chainpoint/merkle.ts";

/** Position of an anchor on the chain. Page 07 §7.1. */
export interface AnchorInfo {
  readonly transactionId: Uint8Array;
  readonly height: number;
  readonly position: number;
}

/** Path from a hash to the root of one of this node's Merkle trees. */
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
  /** Returns the earliest anchor of a hash. */
  first(hash: Uint8Array): AnchorInfo | undefined;
  /** Returns the mapped anchors with a key, newest first. */
  mapped(key: Uint8Array): Iterable<MappedAnchorInfo>;
  /**
   * Returns the proof of a hash in this node's trees. It exists before the tree's root is sent, and stays even if the
   * chain reverts the root's transaction.
   */
  leaf(hash: Uint8Array): LeafProof | undefined;
}
