/** Proofs that a hash is anchored, directly or by the root of this node's Merkle tree. Page 07 §7.5, §18.3. */
import type { JsonOut } from "../../../bytes/json.ts";
import { type AnchorProof, formatChainpoint } from "../../../chainpoint/proof.ts";
import type { ChainSnapshot } from "../../../interfaces.ts";
import { reparseTransaction, transactionId } from "../../../transactions/index.ts";
import type { Call } from "../../route.ts";
import { MAX_ANCHOR_BYTES } from "./hash-text.ts";

type Proof = Omit<AnchorProof, "hash">;

export function chainpointJson(call: Call, hash: Uint8Array, proof: Proof): JsonOut {
  const anchorType = `${call.api.info.network.networkName}DataTransaction`;
  return { chainpoint: formatChainpoint({ hash, ...proof }, anchorType) };
}

export function canBeAnchored(hash: Uint8Array): boolean {
  return hash.length <= MAX_ANCHOR_BYTES;
}

export function findProofOnChain(chain: ChainSnapshot, hash: Uint8Array): Proof | undefined {
  const direct = chain.anchors.first(hash);
  if (direct !== undefined) return direct;
  const tree = chain.anchors.leaf(hash);
  const anchored = tree && chain.anchors.first(tree.root);
  return anchored && { ...anchored, tree };
}

async function findIdInPool(call: Call, hash: Uint8Array): Promise<Uint8Array | undefined> {
  const bytes = await call.api.control.pool.anchor(hash);
  return bytes && transactionId(reparseTransaction(bytes, call.api.info.network));
}

export async function findProofInPool(call: Call, hash: Uint8Array): Promise<Proof | undefined> {
  const direct = await findIdInPool(call, hash);
  if (direct !== undefined) return { transactionId: direct };
  const tree = call.read((chain) => chain.anchors.leaf(hash));
  const id = tree && (await findIdInPool(call, tree.root));
  return id && { transactionId: id, tree };
}

/** Searches the pool first: a transaction can move to the chain during the search. */
export async function findProof(call: Call, hash: Uint8Array): Promise<Proof | undefined> {
  return (await findProofInPool(call, hash)) ?? call.read((chain) => findProofOnChain(chain, hash));
}
