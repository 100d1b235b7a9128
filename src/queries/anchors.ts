/** Anchored hashes. Page 07 §7. */
import type { PathStep } from "../chainpoint/merkle.ts";

/** Where a hash was anchored first. Page 07 §7.1. */
export interface AnchorInfo {
  readonly transactionId: Uint8Array;
  readonly height: number;
  readonly position: number;
}

/** Proof of a hash that is a leaf of a tree of this node: the tree's root, and the way there. */
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
  /** The first anchor of a hash. */
  first(hash: Uint8Array): AnchorInfo | undefined;
  /** Mapped anchors under a key, newest first. */
  mapped(key: Uint8Array): Iterable<MappedAnchorInfo>;
  /**
   * The tree of this node that has a hash as a leaf, whatever became of its root. Not of the chain, but this node's own
   * knowledge: it is there before its root is sent, and stays.
   */
  leaf(hash: Uint8Array): LeafProof | undefined;
}
