import type { PathStep } from "../chainpoint/merkle.ts";

/** An anchor's place on the chain. Page 07 §7.1. */
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

/** Page 07 §7.7. */
export interface MappedAnchorInfo extends AnchorInfo {
  readonly value: Uint8Array;
  readonly sender: Uint8Array;
}

export interface AnchorQueries {
  /** Oldest anchor of a hash. */
  first(hash: Uint8Array): AnchorInfo | undefined;
  /** Newest first. */
  mapped(key: Uint8Array): Iterable<MappedAnchorInfo>;
}
