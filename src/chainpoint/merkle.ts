/**
 * Merkle trees of Chainpoint v2. A node is the SHA-256 of its two children, left before right; a node without
 * a sibling moves up unchanged.
 */
import { concatBytes } from "../bytes/compare.ts";

/** Returns 32 bytes. */
export type Sha256 = (bytes: Uint8Array) => Uint8Array;

export interface PathStep {
  readonly side: "left" | "right";
  readonly hash: Uint8Array;
}

export class NoLeavesError extends Error {
  override readonly name = "NoLeavesError";
  constructor() {
    super("A Merkle tree needs at least one leaf");
  }
}

function levelAbove(level: readonly Uint8Array[], sha256: Sha256): Uint8Array[] {
  const above: Uint8Array[] = [];
  for (let i = 0; i < level.length; i += 2)
    above.push(i + 1 < level.length ? sha256(concatBytes(level[i], level[i + 1])) : level[i]);
  return above;
}

/**
 * Returns the root of a tree. The root stays the same if groups of n leaves (n is a power of 2; the last group may be
 * smaller) are replaced by their roots.
 * @throws NoLeavesError
 */
export function merkleRoot(leaves: readonly Uint8Array[], sha256: Sha256): Uint8Array {
  if (leaves.length === 0) throw new NoLeavesError();
  let level = leaves;
  while (level.length > 1) level = levelAbove(level, sha256);
  return level[0];
}

/**
 * Returns the siblings from a leaf up to the root.
 * @throws RangeError for an invalid index
 */
export function merklePath(leaves: readonly Uint8Array[], index: number, sha256: Sha256): PathStep[] {
  if (!(index >= 0 && index < leaves.length)) throw new RangeError(`Leaf ${index} does not exist`);
  const path: PathStep[] = [];
  let level = leaves;
  for (let at = index; level.length > 1; at >>= 1) {
    const sibling = at ^ 1;
    if (sibling < level.length) path.push({ side: sibling < at ? "left" : "right", hash: level[sibling] });
    level = levelAbove(level, sha256);
  }
  return path;
}

export function rootOfPath(leaf: Uint8Array, path: readonly PathStep[], sha256: Sha256): Uint8Array {
  return path.reduce(
    (node, { side, hash }) => sha256(side === "left" ? concatBytes(hash, node) : concatBytes(node, hash)),
    leaf,
  );
}
