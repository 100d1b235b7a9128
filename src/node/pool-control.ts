/** What the HTTP layer asks of the pool. */
import type { ControlFailure, NodeControl } from "../interfaces.ts";
import { Refusal } from "../ledger/refusal.ts";
import type { Mempool } from "../mempool/mempool.ts";
import {
  type NetworkRules,
  readSentTransaction,
  sentTransaction,
  type Transaction,
  transactionBytes,
} from "../transactions/index.ts";
import type { Intake } from "./intake.ts";
import { done, failed } from "./outcome.ts";
import { joined } from "./pool-news.ts";

/** How much of the pool one question gives: what costs the node's thread well below a millisecond. */
const PAGE = { transactions: 500, bytes: 256 * 1024 };

/** All requests come by one way, whoever sent them: their number is bounded there. */
const API = "api";

/** A refusal as plain data. */
function plainRefusal({ kind, args, transaction, script }: Refusal): ControlFailure {
  const texts = script && { script: script.script, vars: script.vars };
  const state = transaction && { transaction: sentTransaction(transaction), script: texts };
  return { kind: "refused", error: { kind, args }, state };
}

/**
 * The part of `NodeControl` that speaks of the pool.
 * @param added told of each transaction that came to the pool this way: other nodes are to have it
 */
export function poolControl(
  pool: Mempool,
  intake: Intake,
  network: NetworkRules,
  added: (transaction: Transaction) => void,
): Pick<
  NodeControl,
  "broadcast" | "unconfirmed" | "unconfirmedSize" | "unconfirmedById" | "unconfirmedAnchor" | "poolEffect"
> {
  return {
    async broadcast(sent, deadline) {
      const read = readSentTransaction(sent, network);
      if (!read.ok) return failed({ kind: "no-transaction", error: read.error });
      const hasBytes = sent.form === "binary";
      const outcome = await intake.offer(API, read.transaction, { deadline, hasBytes });
      if (outcome === "busy" || outcome === "late") return failed({ kind: outcome });
      if (outcome instanceof Refusal) return failed(plainRefusal(outcome));
      if (outcome.added) added(read.transaction);
      return done(outcome);
    },
    async unconfirmed(after) {
      const { transactions, next } = pool.page(after && Buffer.from(after).toString("latin1"), PAGE);
      return {
        ...joined(transactions.map(transactionBytes)),
        next: next === undefined ? undefined : new Uint8Array(Buffer.from(next, "latin1")),
      };
    },
    async unconfirmedSize() {
      return pool.size;
    },
    async unconfirmedById(id) {
      const transaction = pool.get(id);
      return transaction && transactionBytes(transaction);
    },
    async unconfirmedAnchor(hash) {
      const transaction = pool.oldestAnchor(hash);
      return transaction && transactionBytes(transaction);
    },
    async poolEffect(address) {
      return pool.effect(address);
    },
  };
}
