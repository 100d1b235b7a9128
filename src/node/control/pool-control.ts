import type { ControlFailure, NodeControlHandlers } from "../../control/index.ts";
import { failed } from "../../errors/result.ts";
import type { Clock } from "../../interfaces.ts";
import type { Refusal } from "../../ledger/refusal.ts";
import type { Mempool } from "../../mempool/mempool.ts";
import {
  decodeTransaction,
  type NetworkRules,
  type Transaction,
  transactionBytes,
} from "../../transactions/index.ts";
import type { Intake } from "../intake.ts";
import { concatParts, PoolNewsBuffer } from "./pool-news.ts";

/** Building a full page takes less than a millisecond. */
const MAX_PAGE = { transactions: 500, bytes: 256 * 1024 };

/** The checker threads treat all API requests as one source. */
const API_SOURCE = "api";

function plainRefusal({ kind, args, transaction, script }: Refusal): ControlFailure {
  const texts = script && { script: script.script, vars: script.vars };
  const state = transaction && { script: texts };
  return { kind: "refused", error: { kind, args }, state };
}

export interface PoolControlDependencies {
  readonly pool: Mempool;
  readonly intake: Intake;
  readonly network: NetworkRules;
  readonly clock: Pick<Clock, "after">;
  readonly onAdded: (transaction: Transaction) => void;
  readonly diskFault: () => boolean;
}

export function poolControl(dependencies: PoolControlDependencies): NodeControlHandlers["pool"] {
  const { pool, intake, network, clock, onAdded, diskFault } = dependencies;
  const news = new PoolNewsBuffer(pool, clock);
  return {
    async broadcast(encoded, deadline) {
      // While the disk fails, no block can include the transaction.
      if (diskFault()) return failed({ kind: "disk-fault" });
      const decoded = decodeTransaction(encoded, network);
      if (!decoded.ok) return failed({ kind: "no-transaction", error: decoded.error });
      const { transaction } = decoded.value;
      const hasBytes = encoded.form === "binary";
      const outcome = await intake.offer(API_SOURCE, transaction, { deadline, hasBytes });
      if (outcome.ok) {
        if (outcome.value.added) onAdded(transaction);
        return outcome;
      }
      const { error } = outcome;
      return failed(typeof error === "string" ? { kind: error } : plainRefusal(error));
    },
    async page(after) {
      const { transactions, next } = pool.page(after && Buffer.from(after).toString("latin1"), MAX_PAGE);
      return {
        ...concatParts(transactions.map(transactionBytes)),
        next: next === undefined ? undefined : new Uint8Array(Buffer.from(next, "latin1")),
      };
    },
    size: async () => pool.size,
    news: (after) => news.poll(after),
    async transaction(id) {
      const transaction = pool.get(id);
      return transaction && transactionBytes(transaction);
    },
    async anchor(hash) {
      const transaction = pool.oldestAnchor(hash);
      return transaction && transactionBytes(transaction);
    },
    effect: async (address) => pool.effect(address),
  };
}
