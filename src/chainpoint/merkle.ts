/**
 * Merkle trees as Chainpoint v2 and its tools make them: a node is SHA-256 of its two children, left before right; a
 * node without a neighbour goes up a level as it is. What hashes is handed in, so that it runs in a browser too.
 */
import { concatBytes } from "../bytes/compare.ts";

/** SHA-256: 32 bytes. */
export type Sha256 = (bytes: Uint8Array) => Uint8Array;

/** A node beside the way from a leaf to the root, and on which side of it. */
export interface PathStep {
  readonly side: "left" | "right";
  readonly hash: Uint8Array;
}

/** A tree has leaves. */
export class NoLeavesError extends Error {
  override readonly name = "NoLeavesError";
  constructor() {
    super("A tree needs a leaf");
  }
}

/** The level above: half as many nodes, one more where their number is odd. */
function levelAbove(level: readonly Uint8Array[], sha256: Sha256): Uint8Array[] {
  const above: Uint8Array[] = [];
  for (let i = 0; i < level.length; i += 2)
    above.push(i + 1 < level.length ? sha256(concatBytes(level[i], level[i + 1])) : level[i]);
  return above;
}

/**
 * The root of the tree over these leaves; of a single leaf, the leaf. Because a node without a neighbour goes up as it
 * is, the root over many leaves is also that over the roots of their groups of 2, 4, 8 … in order.
 * @throws NoLeavesError
 */
export function merkleRoot(leaves: readonly Uint8Array[], sha256: Sha256): Uint8Array {
  if (leaves.length === 0) throw new NoLeavesError();
  let level = leaves;
  while (level.length > 1) level = levelAbove(level, sha256);
  return level[0];
}

/**
 * The way from a leaf to the root, from below.
 * @throws RangeError for a leaf that is not there
 */
export function merklePath(leaves: readonly Uint8Array[], index: number, sha256: Sha256): PathStep[] {
  if (!(index >= 0 && index < leaves.length)) throw new RangeError(`There is no leaf ${index}`);
  const path: PathStep[] = [];
  let level = leaves;
  for (let at = index; level.length > 1; at >>= 1) {
    const beside = at ^ 1;
    if (beside < level.length) path.push({ side: beside < at ? "left" : "right", hash: level[beside] });
    level = levelAbove(level, sha256);
  }
  return path;
}

/** Where a path leads from a leaf. */
export function rootOfPath(leaf: Uint8Array, path: readonly PathStep[], sha256: Sha256): Uint8Array {
  return path.reduce(
    (node, { side, hash }) => sha256(side === "left" ? concatBytes(hash, node) : concatBytes(node, hash)),
    leaf,
  );
}
