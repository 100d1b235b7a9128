/** Anchored hashes. Page 07 §7. */
import type { PathStep } from "../chainpoint/merkle.ts";

/** Page 07 §7.1. */
export interface AnchorInfo {
  readonly transactionId: Uint8Array;
  readonly height: number;
  readonly position: number;
}

/** Proof of a leaf in one of this node's trees. */
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
  /** Mapped anchors under a key, newest first. */
  mapped(key: Uint8Array): Iterable<MappedAnchorInfo>;
  /** The node knows its trees before their roots are sent, and keeps them whatever happens on the chain. */
  leaf(hash: Uint8Array): LeafProof | undefined;
}
