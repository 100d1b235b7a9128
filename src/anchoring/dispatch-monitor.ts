/**
 * Determines the state of sent transactions: final, reversible, in the pool, or lost. Only the current chain counts, so
 * forks and restarts need no special case.
 */
import { reparseTransaction, type Transaction } from "../transactions/index.ts";
import type { AnchoringNode } from "./anchoring-node.ts";
import type { JobQueue, QueuedDispatch } from "./job-queue.ts";

const LOOKUPS_PER_SLICE = 200;

/**
 * Depth from which a transaction counts as final. Forks revert at most 100 blocks (page 03 §14). Without this limit,
 * unlimited rollbacks would let the queue grow forever.
 */
const MAX_WATCHED_DEPTH = 1_000;

type OfferAgain = (dispatch: QueuedDispatch, transaction: Transaction) => Promise<unknown>;

export class DispatchMonitor {
  readonly #queue: JobQueue;
  readonly #node: AnchoringNode;
  readonly #depth: number;
  readonly #offerAgain: OfferAgain;
  readonly #onFinal: () => void;
  readonly #heights = new Map<QueuedDispatch, number>();

  /** @param rollbackDepth blocks that can be undone */
  constructor(
    queue: JobQueue,
    node: AnchoringNode,
    rollbackDepth: number,
    offerAgain: OfferAgain,
    onFinal: () => void,
  ) {
    this.#queue = queue;
    this.#node = node;
    this.#depth = Math.min(rollbackDepth, MAX_WATCHED_DEPTH);
    this.#offerAgain = offerAgain;
    this.#onFinal = onFinal;
  }

  reverted(from: number): void {
    for (const [dispatch, height] of this.#heights) if (height >= from) this.#heights.delete(dispatch);
  }

  /** Finishes final transactions and offers lost ones again. @throws DiskError */
  async check(isStopped: () => boolean): Promise<void> {
    for (const dispatch of this.#heights.keys())
      if (!this.#queue.isWatched(dispatch)) this.#heights.delete(dispatch);
    let count = 0;
    for (const dispatch of [...this.#queue.dispatches()]) {
      if (isStopped()) return;
      if (++count % LOOKUPS_PER_SLICE === 0) await this.#node.yieldToOthers();
      await this.#checkDispatch(dispatch);
    }
  }

  async #checkDispatch(dispatch: QueuedDispatch): Promise<void> {
    const { reader, network } = this.#node;
    const finalHeight = reader.read((chain) => chain.height()) - this.#depth;
    const knownHeight = this.#heights.get(dispatch);
    if (knownHeight !== undefined && knownHeight > finalHeight) return;
    const height = reader.read((chain) => chain.transactions.byId(dispatch.id)?.height);
    if (height !== undefined) {
      if (height > finalHeight) {
        this.#heights.set(dispatch, height);
        return;
      }
      this.#heights.delete(dispatch);
      await this.#queue.finish(dispatch);
      this.#onFinal();
      return;
    }
    // If the node is behind, the transaction may still arrive in a block.
    if (!this.#node.inPool(dispatch.id) && !this.#node.isBehind())
      await this.#offerAgain(dispatch, reparseTransaction(dispatch.bytes, network));
  }
}
