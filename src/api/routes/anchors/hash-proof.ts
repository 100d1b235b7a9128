/** Proves that a hash is anchored, directly or by its Merkle tree's root on this node. Page 07 §7.5, §18.3. */
import type { JsonOut } from "../../../bytes/json.ts";
import { type AnchorProof, formatChainpoint } from "../../../chainpoint/proof.ts";
import type { ChainSnapshot } from "../../../interfaces.ts";
import { reparseTransaction, transactionId } from "../../../transactions/index.ts";
import type { Call } from "../../route.ts";
import { MAX_ANCHOR_BYTES } from "./hash-text.ts";

type Proof = Omit<AnchorProof, "hash">;

export function chainpoint(call: Call, hash: Uint8Array, proof: Proof): JsonOut {
  const anchorType = `${call.api.info.network.networkName}DataTransaction`;
  return { chainpoint: formatChainpoint({ hash, ...proof }, anchorType) };
}

export function canBeAnchored(hash: Uint8Array): boolean {
  return hash.length <= MAX_ANCHOR_BYTES;
}

export function proofOnChain(chain: ChainSnapshot, hash: Uint8Array): Proof | undefined {
  const direct = chain.anchors.first(hash);
  if (direct !== undefined) return direct;
  const tree = chain.anchors.leaf(hash);
  const anchored = tree && chain.anchors.first(tree.root);
  return anchored && { ...anchored, tree };
}

async function idInPool(call: Call, hash: Uint8Array): Promise<Uint8Array | undefined> {
  const bytes = await call.api.control.pool.anchor(hash);
  return bytes && transactionId(reparseTransaction(bytes, call.api.info.network));
}

export async function proofInPool(call: Call, hash: Uint8Array): Promise<Proof | undefined> {
  const direct = await idInPool(call, hash);
  if (direct !== undefined) return { transactionId: direct };
  const tree = call.read((chain) => chain.anchors.leaf(hash));
  const id = tree && (await idInPool(call, tree.root));
  return id && { transactionId: id, tree };
}

/** The pool comes first, because a transaction can move from pool to chain during the search. */
export async function proofInPoolOrChain(call: Call, hash: Uint8Array): Promise<Proof | undefined> {
  return (await proofInPool(call, hash)) ?? call.read((chain) => proofOnChain(chain, hash));
}
