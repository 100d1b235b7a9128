import { bytesEqual, concatBytes } from "../bytes/compare.ts";
import { merklePath, merkleRoot } from "../chainpoint/merkle.ts";
import { sha256 } from "../crypto/hashes.ts";
import type { LeafProof } from "../interfaces.ts";
import type { Reader, Writer } from "../storage/kv.ts";
import type { Store } from "../storage/store.ts";
import { anchorTables, type LeafPosition, type Tree } from "./tables.ts";

export const LEAF_BYTES = 32;

/** A power of two: otherwise the groups' roots would not be nodes of the tree. */
const GROUP_SIZE = 128;

function splitHashes(bytes: Uint8Array): Uint8Array[] {
  const count = Math.floor(bytes.length / LEAF_BYTES);
  return Array.from({ length: count }, (_, i) => bytes.subarray(i * LEAF_BYTES, (i + 1) * LEAF_BYTES));
}

interface FoundLeaf {
  readonly tree: Tree;
  readonly position: LeafPosition;
  readonly leaves: readonly Uint8Array[];
}

function findLeaf(reader: Reader, hash: Uint8Array): FoundLeaf | undefined {
  if (hash.length !== LEAF_BYTES) return undefined;
  const position = reader.get(anchorTables.leaves, hash);
  const tree = position && reader.get(anchorTables.trees, position.tree);
  if (position === undefined || tree === undefined) return undefined;
  const group = Math.floor(position.index / GROUP_SIZE);
  const leaves = splitHashes(
    reader.get(anchorTables.leafGroups, { tree: position.tree, group }) ?? new Uint8Array(0),
  );
  // After a crash, positions of an unfinished tree remain, and the next tree reuses that number.
  const leaf = leaves.at(position.index % GROUP_SIZE);
  return leaf !== undefined && bytesEqual(leaf, hash) ? { tree, position, leaves } : undefined;
}

export function rootOfLeaf(reader: Reader, hash: Uint8Array): Uint8Array | undefined {
  return findLeaf(reader, hash)?.tree.root;
}

function pathOfLeaf(reader: Reader, hash: Uint8Array): LeafProof | undefined {
  const found = findLeaf(reader, hash);
  if (found === undefined) return undefined;
  const { tree, position, leaves } = found;
  const groups = splitHashes(tree.groupRoots);
  const path = [
    ...merklePath(leaves, position.index % GROUP_SIZE, sha256),
    ...merklePath(groups, Math.floor(position.index / GROUP_SIZE), sha256),
  ];
  return { root: tree.root, path };
}

export function leafProofsOf(store: Pick<Store, "read">): (hash: Uint8Array) => LeafProof | undefined {
  return (hash) => store.read((reader) => pathOfLeaf(reader, hash));
}

export function nextTreeNumber(reader: Reader): number {
  for (const [tree] of reader.range(anchorTables.trees, { reverse: true, limit: 1 })) return tree + 1;
  return 1;
}

/** Writes a Merkle tree, whose leaves are found only after `finish`. */
export class TreeWriter {
  readonly tree: number;
  readonly #roots: Uint8Array[] = [];
  #leafCount = 0;

  constructor(tree: number) {
    this.tree = tree;
  }

  /** All calls except the last must add whole groups. */
  add(writer: Writer, leaves: readonly Uint8Array[]): void {
    for (let from = 0; from < leaves.length; from += GROUP_SIZE) {
      const group = leaves.slice(from, from + GROUP_SIZE);
      writer.put(
        anchorTables.leafGroups,
        { tree: this.tree, group: this.#roots.length },
        concatBytes(...group),
      );
      for (const [i, leaf] of group.entries())
        writer.put(anchorTables.leaves, leaf, { tree: this.tree, index: this.#leafCount + i });
      this.#leafCount += group.length;
      this.#roots.push(merkleRoot(group, sha256));
    }
  }

  /** Returns the root. */
  finish(writer: Writer): Uint8Array {
    const root = merkleRoot(this.#roots, sha256);
    writer.put(anchorTables.trees, this.tree, { root, groupRoots: concatBytes(...this.#roots) });
    return root;
  }
}

export const MAX_LEAVES_PER_WRITE: number = 16 * GROUP_SIZE;
