/** A run of an account's script, as a thread is handed it. */
import { runReport, type ScriptReport, ScriptShelf } from "../ledger/script-verdicts.ts";
import { type NetworkRules, parseTransactionAgain } from "../transactions/index.ts";

/** What is to be run, as plain data. */
export interface ScriptOrder {
  readonly script: Uint8Array;
  /** Its bytes: they hold its proofs, and a transaction read from them is the one that is meant. */
  readonly transaction: Uint8Array;
  readonly height: number;
  readonly allowance: number | undefined;
  readonly texts: boolean;
}

/** The scripts of most accounts that send often: 64 times 8 KB, and what is read of them. */
const shelf = new ScriptShelf(64);

/** Runs it. Throws only on a bug: whoever orders it has read the transaction. */
export function runOrder(order: ScriptOrder, network: NetworkRules): ScriptReport {
  const { height, allowance, texts } = order;
  const transaction = parseTransactionAgain(order.transaction, network);
  const script = shelf.of(order.script);
  return runReport({ transaction, script, height }, { chainId: network.chainId, allowance, texts });
}
