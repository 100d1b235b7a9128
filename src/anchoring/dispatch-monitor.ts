import { reparseTransaction, type Transaction } from "../transactions/index.ts";
import type { AnchoringNode } from "./anchoring-node.ts";
import type { JobQueue, QueuedDispatch } from "./job-queue.ts";

const LOOKUPS_PER_SLICE = 200;

/** A transaction with this many confirmations is final. Forks revert at most 100 blocks (page 03 §14). */
const MAX_MONITORED_DEPTH = 1_000;

type OfferAgain = (dispatch: QueuedDispatch, transaction: Transaction) => Promise<unknown>;

/** Monitors sent transactions until they are final. */
export class DispatchMonitor {
  readonly #queue: JobQueue;
  readonly #node: AnchoringNode;
  readonly #finalDepth: number;
  readonly #offerAgain: OfferAgain;
  readonly #onFinal: () => void;
  readonly #heightByDispatch = new Map<QueuedDispatch, number>();

  /** @param rollbackDepth in blocks */
  constructor(
    queue: JobQueue,
    node: AnchoringNode,
    rollbackDepth: number,
    offerAgain: OfferAgain,
    onFinal: () => void,
  ) {
    this.#queue = queue;
    this.#node = node;
    this.#finalDepth = Math.min(rollbackDepth, MAX_MONITORED_DEPTH);
    this.#offerAgain = offerAgain;
    this.#onFinal = onFinal;
  }

  onRevert(fromHeight: number): void {
    for (const [dispatch, height] of this.#heightByDispatch)
      if (height >= fromHeight) this.#heightByDispatch.delete(dispatch);
  }

  /** Removes final transactions from the queue; offers lost ones again. @throws DiskError */
  async check(isStopped: () => boolean): Promise<void> {
    for (const dispatch of this.#heightByDispatch.keys())
      if (!this.#queue.hasDispatch(dispatch)) this.#heightByDispatch.delete(dispatch);
    let count = 0;
    for (const dispatch of [...this.#queue.dispatches()]) {
      if (isStopped()) return;
      if (++count % LOOKUPS_PER_SLICE === 0) await this.#node.yieldToOthers();
      await this.#checkDispatch(dispatch);
    }
  }

  async #checkDispatch(dispatch: QueuedDispatch): Promise<void> {
    const { reader, network } = this.#node;
    const finalHeight = reader.read((chain) => chain.height()) - this.#finalDepth;
    const knownHeight = this.#heightByDispatch.get(dispatch);
    if (knownHeight !== undefined && knownHeight > finalHeight) return;
    const height = reader.read((chain) => chain.transactions.byId(dispatch.id)?.height);
    if (height !== undefined) {
      if (height > finalHeight) {
        this.#heightByDispatch.set(dispatch, height);
        return;
      }
      this.#heightByDispatch.delete(dispatch);
      await this.#queue.finish(dispatch);
      this.#onFinal();
      return;
    }
    // If the node is behind, the transaction may still arrive in a block.
    if (!this.#node.inPool(dispatch.id) && !this.#node.isBehind())
      await this.#offerAgain(dispatch, reparseTransaction(dispatch.bytes, network));
  }
}
