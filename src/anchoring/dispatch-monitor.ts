/**
 * Where the transactions are that were sent: in a block that can still be undone, in one that cannot, in the pool, or
 * nowhere. What is asked is the chain as it is now, whatever happened to it; so forks and restarts are one case.
 */
import { reparseTransaction, type Transaction } from "../transactions/index.ts";
import type { AnchoringNode } from "./anchoring-node.ts";
import type { JobQueue, QueuedDispatch } from "./job-queue.ts";

/** Transactions that are looked up in one turn of the event loop. */
const LOOKUPS_PER_SLICE = 200;

/**
 * Blocks behind which a transaction is left alone, however many can be undone: forks undo 100 (page 03 §14), and only an
 * operator undoes more. Without it a network on which any number can be undone would fill the queue for good.
 */
const MAX_WATCHED_DEPTH = 1_000;

type OfferAgain = (dispatch: QueuedDispatch, transaction: Transaction) => Promise<unknown>;

export class DispatchMonitor {
  readonly #queue: JobQueue;
  readonly #node: AnchoringNode;
  readonly #depth: number;
  readonly #offerAgain: OfferAgain;
  /** Heights of the blocks that have transactions of ours. */
  readonly #heights = new Map<QueuedDispatch, number>();

  /**
   * @param rollbackDepth how many blocks can be undone: what lies deeper stays
   * @param offerAgain is given what is neither on the chain nor in the pool
   */
  constructor(queue: JobQueue, node: AnchoringNode, rollbackDepth: number, offerAgain: OfferAgain) {
    this.#queue = queue;
    this.#node = node;
    this.#depth = Math.min(rollbackDepth, MAX_WATCHED_DEPTH);
    this.#offerAgain = offerAgain;
  }

  /** To be told from which height on blocks left the chain. */
  reverted(from: number): void {
    for (const [dispatch, height] of this.#heights) if (height >= from) this.#heights.delete(dispatch);
  }

  /** Looks at all of them, and does what that asks for. @throws DiskError */
  async check(isStopped: () => boolean): Promise<void> {
    for (const dispatch of this.#heights.keys())
      if (!this.#queue.isWatched(dispatch)) this.#heights.delete(dispatch);
    let count = 0;
    for (const dispatch of [...this.#queue.dispatches()]) {
      if (isStopped()) return;
      if (++count % LOOKUPS_PER_SLICE === 0) await this.#node.yieldToOthers();
      await this.#lookAt(dispatch);
    }
  }

  async #lookAt(dispatch: QueuedDispatch): Promise<void> {
    const { reader, network } = this.#node;
    const finalHeight = reader.read((chain) => chain.height()) - this.#depth;
    const known = this.#heights.get(dispatch);
    if (known !== undefined && known > finalHeight) return;
    const height = reader.read((chain) => chain.transactions.byId(dispatch.id)?.height);
    if (height !== undefined) {
      if (height > finalHeight) {
        this.#heights.set(dispatch, height);
        return;
      }
      this.#heights.delete(dispatch);
      return this.#queue.finish(dispatch);
    }
    // It left the pool, or the chain; or the node was started anew, and its pool with it. Where the chain is behind, the
    // block that has it may be on its way.
    if (!this.#node.inPool(dispatch.id) && !this.#node.isBehind())
      await this.#offerAgain(dispatch, reparseTransaction(dispatch.bytes, network));
  }
}
