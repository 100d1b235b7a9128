/** What the HTTP layer asks of the pool. */
import { Turns } from "../api/http/turns.ts";
import type { Clock, ControlFailure, NodeControl } from "../interfaces.ts";
import { Refusal } from "../ledger/refusal.ts";
import type { Admission, Mempool } from "../mempool/mempool.ts";
import {
  type NetworkRules,
  readSentTransaction,
  sentTransaction,
  type Transaction,
  transactionBytes,
} from "../transactions/index.ts";
import { CheckerError } from "../verification/batch-checker.ts";
import { type Verifier, VerifierBusyError } from "../verification/verifier.ts";
import { done, failed } from "./outcome.ts";

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

/** How many are judged at once: looking at the state once for several is cheaper. */
const JUDGED_TOGETHER = 16;

interface Waiting {
  readonly transaction: Transaction;
  /** When whoever asked gives up, ms. */
  readonly deadline: number;
  readonly resolve: (admission: Admission | "late") => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Puts into the pool, by the state as it is then, whatever it was before: many whose signatures were found out at once
 * in as many turns as they need. Those that have waited for too long are not judged.
 */
function admission(
  pool: Mempool,
  clock: Pick<Clock, "now">,
): (transaction: Transaction, deadline: number) => Promise<Admission | "late"> {
  const turns = new Turns<Waiting>(clock, JUDGED_TOGETHER, (all) => {
    const now = clock.now();
    const group = all.filter(({ deadline }) => now < deadline);
    for (const one of all) if (now >= one.deadline) one.resolve("late");
    try {
      const admissions = pool.addAll(group.map(({ transaction }) => transaction));
      for (const [i, { resolve }] of group.entries()) resolve(admissions[i]);
    } catch (error) {
      for (const { reject } of group) reject(error);
    }
  });
  return (transaction, deadline) =>
    new Promise((resolve, reject) => turns.add({ transaction, deadline, resolve, reject }));
}

/** The part of `NodeControl` that speaks of the pool. */
export function poolControl(
  pool: Mempool,
  verifier: Verifier,
  network: NetworkRules,
  clock: Pick<Clock, "now">,
): Pick<
  NodeControl,
  "broadcast" | "unconfirmed" | "unconfirmedSize" | "unconfirmedById" | "unconfirmedAnchor" | "poolEffect"
> {
  const admit = admission(pool, clock);
  return {
    async broadcast(sent, deadline = Number.POSITIVE_INFINITY) {
      const read = readSentTransaction(sent, network);
      if (!read.ok) return failed({ kind: "no-transaction", error: read.error });
      const early = pool.refusalAtOnce(read.transaction);
      if (early !== undefined) return failed(plainRefusal(early));
      let { transaction } = read;
      if (sent.form === "binary") {
        transaction = pool.known(transaction);
        try {
          await verifier.transactions(API, [transaction]);
        } catch (error) {
          if (error instanceof VerifierBusyError) return failed({ kind: "busy" });
          // What is not found out ahead is found out when it is judged: slower, but no transaction is lost for it.
          if (!(error instanceof CheckerError)) throw error;
        }
      }
      const outcome = await admit(transaction, deadline);
      if (outcome === "late") return failed({ kind: "late" });
      return outcome instanceof Refusal ? failed(plainRefusal(outcome)) : done(outcome);
    },
    async unconfirmed(after) {
      const { transactions, next } = pool.page(after && Buffer.from(after).toString("latin1"), PAGE);
      const parts = transactions.map(transactionBytes);
      let end = 0;
      const ends = parts.map(({ length }) => (end += length));
      const bytes = new Uint8Array(end);
      for (const [i, part] of parts.entries()) bytes.set(part, ends[i] - part.length);
      return {
        bytes,
        ends,
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
