/**
 * Checks that a node loses no transaction: what was on its chain is still on it, is in its pool, or is invalid.
 * Each transaction is checked alone. That is stricter than the pool, which validates returning transactions one after
 * another, and correct as long as accounts can pay for everything that is sent in a run: a pending transaction is no
 * excuse.
 * There is one exception. The pool drops invalid transactions when it selects transactions for a block (page 05 §24.5):
 * of two cancellations of a lease it selects the one with the higher fee and drops the other. When the block is
 * reverted, the selected one returns to the pool, and either would be valid alone; but the other one was dropped
 * correctly. So the watch checks each selection when it is made, with the state after it.
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

interface RevertedTransaction {
  readonly id: Uint8Array;
  readonly transaction: Transaction;
}

export class TransactionWatch {
  /** Reverted transactions that did not return to the chain. */
  readonly #reverted = new Map<string, RevertedTransaction>();

  /** @param lost called with each lost transaction */
  constructor(
    private readonly node: Pick<Node, "chain" | "pool">,
    private readonly lost: (text: string) => void,
  ) {
    const { pool } = node;
    const pack = pool.pack.bind(pool);
    pool.pack = (request) => {
      const packed = pack(request);
      this.#checkPacked(packed.transactions);
      return packed;
    };
  }

  /** Call this after the chain has changed and the pool has followed. */
  follow({ reverted, committed, isPart }: ChainChange): void {
    if (reverted.length === 0 && this.#reverted.size === 0) return;
    for (const { transactions } of reverted)
      for (const { id, transaction } of transactions) this.#reverted.set(bytesKey(id), { id, transaction });
    for (const { transactions } of committed)
      for (const { id } of transactions) this.#reverted.delete(bytesKey(id));
    // Blocks that leave in a partial change come back when the change is complete.
    if (reverted.length > 0 && !isPart) this.check();
  }

  /** Checks that each reverted transaction is in the pool, or invalid. */
  check(): void {
    const { pool } = this.node;
    for (const [key, { id, transaction }] of this.#missing()) {
      this.#reverted.delete(key);
      if (pool.add(transaction).ok)
        this.lost(
          `transaction ${shortId(id)} of type ${transaction.type} is valid, and neither on the chain nor in the pool`,
        );
    }
  }

  #missing(): readonly (readonly [string, RevertedTransaction])[] {
    return [...this.#reverted].filter(([, { id }]) => !this.node.pool.has(id));
  }

  /**
   * Call this after the pool selected transactions for a block: dropping a transaction is correct if it is invalid
   * after them.
   */
  #checkPacked(transactions: readonly Transaction[]): void {
    const missing = this.#missing();
    if (missing.length === 0) return;
    const { chain } = this.node;
    chain.scratch((ledger) => {
      const context = poolContext(ledger, chain.rules, chain.tip.keyBlock.timestamp);
      for (const transaction of transactions) applyTransaction(ledger, transaction, context);
      for (const [key, { transaction }] of missing)
        if (validateTransaction(ledger, transaction, context) instanceof Refusal) this.#reverted.delete(key);
    });
    this.check();
  }
}
