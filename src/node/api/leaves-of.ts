import { pathOfLeaf } from "../../anchoring/leaves.ts";
import type { LeafProof } from "../../interfaces.ts";
import type { Store } from "../../storage/store.ts";

/** Looks hashes up among the leaves of a store. */
export function leavesOf(store: Pick<Store, "read">): (hash: Uint8Array) => LeafProof | undefined {
  return (hash) => store.read((reader) => pathOfLeaf(reader, hash));
}
