/** Holds a node to its promise: what was on its chain is on it, or waits in its pool, or is not valid. */
import { bytesKey } from "../../src/bytes/compare.ts";
import type { ChainChange } from "../../src/chain/chain.ts";
import { Refusal } from "../../src/ledger/refusal.ts";
import type { Node } from "../../src/node.ts";
import type { Transaction } from "../../src/transactions/index.ts";
import { shortId } from "./run-log.ts";

interface Left {
  readonly id: Uint8Array;
  readonly transaction: Transaction;
}

export class TransactionWatch {
  /** What left the chain and did not come back to it. */
  readonly #left = new Map<string, Left>();

  /** @param lost told of transactions that are lost */
  constructor(
    private readonly node: Node,
    private readonly lost: (text: string) => void,
  ) {}

  /** The chain has changed, and the pool has followed. */
  follow({ reverted, committed }: ChainChange): void {
    if (reverted.length === 0 && this.#left.size === 0) return;
    for (const { transactions } of reverted)
      for (const { id, transaction } of transactions) this.#left.set(bytesKey(id), { id, transaction });
    for (const { transactions } of committed)
      for (const { id } of transactions) this.#left.delete(bytesKey(id));
    if (reverted.length > 0) this.look();
  }

  /** Looks where they are. */
  look(): void {
    const { pool } = this.node;
    for (const [key, { id, transaction }] of this.#left) {
      if (pool.has(id)) continue;
      this.#left.delete(key);
      const admission = pool.add(transaction);
      if (!(admission instanceof Refusal))
        this.lost(
          `transaction ${shortId(id)} of type ${transaction.type} is valid, and neither on the chain nor in the pool`,
        );
    }
  }
}
