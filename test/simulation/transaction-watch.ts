/**
 * Holds a node to its promise: what was on its chain is on it, or waits in its pool, or is not valid.
 *
 * Each transaction is judged by itself. That is stricter than the pool, which judges what comes back one upon the other,
 * and right as long as accounts can pay for all that is sent in a run: what merely waits excuses nothing.
 *
 * One thing does. The pool drops what is not valid when it chooses transactions for a block (page 05 §24.5): the dearer
 * of two cancellations of a lease is chosen, the other one is dropped. When the block leaves the chain, the chosen one
 * waits again, and either would be valid by itself; but the other one was given up rightly. So each choice is looked at
 * when it is made, with the state that it leaves.
 */
import { bytesKey } from "../../src/bytes/compare.ts";
import type { ChainChange } from "../../src/chain/chain.ts";
import { applyTransaction } from "../../src/ledger/apply.ts";
import { poolContext } from "../../src/ledger/block.ts";
import { Refusal } from "../../src/ledger/refusal.ts";
import { validateTransaction } from "../../src/ledger/validate.ts";
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
    private readonly node: Pick<Node, "chain" | "pool">,
    private readonly lost: (text: string) => void,
  ) {
    const { pool } = node;
    const pack = pool.pack.bind(pool);
    pool.pack = (request) => {
      const packed = pack(request);
      this.#chosen(packed.transactions);
      return packed;
    };
  }

  /** The chain has changed, and the pool has followed. */
  follow({ reverted, committed, isPart }: ChainChange): void {
    if (reverted.length === 0 && this.#left.size === 0) return;
    for (const { transactions } of reverted)
      for (const { id, transaction } of transactions) this.#left.set(bytesKey(id), { id, transaction });
    for (const { transactions } of committed)
      for (const { id } of transactions) this.#left.delete(bytesKey(id));
    // What leaves the chain in a part comes back when the change is complete.
    if (reverted.length > 0 && !isPart) this.look();
  }

  /** Looks where they are. */
  look(): void {
    const { pool } = this.node;
    for (const [key, { id, transaction }] of this.#missing()) {
      this.#left.delete(key);
      if (pool.add(transaction).ok)
        this.lost(
          `transaction ${shortId(id)} of type ${transaction.type} is valid, and neither on the chain nor in the pool`,
        );
    }
  }

  #missing(): readonly (readonly [string, Left])[] {
    return [...this.#left].filter(([, { id }]) => !this.node.pool.has(id));
  }

  /** The pool has chosen these for a block: what it dropped is given up rightly if it is not valid behind them. */
  #chosen(transactions: readonly Transaction[]): void {
    const missing = this.#missing();
    if (missing.length === 0) return;
    const { chain } = this.node;
    chain.scratch((ledger) => {
      const context = poolContext(ledger, chain.rules, chain.tip.keyBlock.timestamp);
      for (const transaction of transactions) applyTransaction(ledger, transaction, context);
      for (const [key, { transaction }] of missing)
        if (validateTransaction(ledger, transaction, context) instanceof Refusal) this.#left.delete(key);
    });
    this.look();
  }
}
