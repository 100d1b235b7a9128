/** Page 07 §7.5, §18.3. */
import type { JsonOut } from "../../../bytes/json.ts";
import { type AnchorProof, formatChainpoint } from "../../../chainpoint/proof.ts";
import type { AnchorInfo, ChainSnapshot, LeafProof } from "../../../interfaces.ts";
import { contain } from "../../../runtime/contain.ts";
import { UnavailableError, UnreachableError } from "../../../runtime/rpc.ts";
import { reparseTransaction, transactionId } from "../../../transactions/index.ts";
import type { Call } from "../../route.ts";
import { MAX_ANCHOR_BYTES } from "./hash-text.ts";

export type Proof = Omit<AnchorProof, "hash">;

type ChainProof = AnchorInfo & { readonly tree?: LeafProof | undefined };

export function chainpointJson(call: Call, hash: Uint8Array, proof: Proof): JsonOut {
  const anchorType = `${call.api.info.network.networkName}DataTransaction`;
  return { chainpoint: formatChainpoint({ hash, ...proof }, anchorType) };
}

export function canBeAnchored(hash: Uint8Array): boolean {
  return hash.length <= MAX_ANCHOR_BYTES;
}

/** @param tree path of the hash in one of the node's trees, if known */
export function findProofOnChain(
  chain: ChainSnapshot,
  hash: Uint8Array,
  tree?: LeafProof | undefined,
): ChainProof | undefined {
  const direct = chain.anchors.first(hash);
  if (direct !== undefined) return direct;
  const anchored = tree && chain.anchors.first(tree.root);
  return anchored && { ...anchored, tree };
}

async function findTransactionIdInPool(call: Call, hash: Uint8Array): Promise<Uint8Array | undefined> {
  const bytes = await call.api.control.pool.anchor(hash);
  return bytes && transactionId(reparseTransaction(bytes, call.api.info.network));
}

export async function findProofInPool(
  call: Call,
  hash: Uint8Array,
  tree: LeafProof | undefined,
): Promise<Proof | undefined> {
  const direct = await findTransactionIdInPool(call, hash);
  if (direct !== undefined) return { transactionId: direct };
  const id = tree && (await findTransactionIdInPool(call, tree.root));
  return id && { transactionId: id, tree };
}

/** Searches the pool first: a transaction can move to the chain during the search. */
export async function findProof(call: Call, hash: Uint8Array): Promise<Proof | undefined> {
  if (call.info.following !== undefined) {
    const own = call.read((chain) => findProofOnChain(chain, hash, undefined));
    if (own !== undefined) return own;
    call.requirePool();
  }
  const tree = await call.api.control.anchoring.leafProof(hash);
  return (
    (await findProofInPool(call, hash, tree)) ?? call.read((chain) => findProofOnChain(chain, hash, tree))
  );
}

/** Waits until the chain anchors the hash or its tree's root. At the timeout, also searches the pool. */
export async function waitForProof(call: Call, hash: Uint8Array): Promise<Proof | undefined> {
  const { anchoring } = call.api.control;
  let tree: LeafProof | undefined;
  let isAsking = false;
  /** The node may make the tree during the wait. */
  const askForTree = async (): Promise<void> => {
    if (isAsking || tree !== undefined) return;
    isAsking = true;
    try {
      tree = await anchoring.leafProof(hash);
    } catch (error) {
      // The next commit causes another attempt.
      if (!(error instanceof UnavailableError || error instanceof UnreachableError)) throw error;
    } finally {
      isAsking = false;
    }
  };
  await askForTree();
  const find = (): Proof | undefined => {
    const found = call.read((chain) => findProofOnChain(chain, hash, tree));
    if (found === undefined)
      contain({ log: call.api.log, message: "Cannot ask for the tree of a hash" }, askForTree);
    return found;
  };
  return (await call.waitFor(find)) ?? findProof(call, hash);
}
