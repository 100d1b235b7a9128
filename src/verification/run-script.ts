/** A run of an account's script, as a thread is handed it. */
import { bytesKey } from "../bytes/compare.ts";
import { BoundedCache } from "../collections/bounded-cache.ts";
import { runReport, type ScriptReport } from "../ledger/scripts/script-verdicts.ts";
import { type NetworkRules, reparseTransaction } from "../transactions/index.ts";

/** What is to be run, as plain data. */
export interface ScriptJob {
  readonly script: Uint8Array;
  /** Its bytes: they hold its proofs, and a transaction read from them is the one that is meant. */
  readonly transaction: Uint8Array;
  readonly height: number;
  readonly allowance: number | undefined;
  readonly texts: boolean;
}

/**
 * The scripts that were run last, as the bytes of which they were read: each order brings bytes of its own. That is 64
 * times 8 KB, and what is read of them.
 */
const readScripts = new BoundedCache<Uint8Array>({ entries: 64 });

/** Runs it. Throws only on a bug: whoever orders it has read the transaction. */
export function runScriptJob(order: ScriptJob, network: NetworkRules): ScriptReport {
  const { height, allowance, texts } = order;
  const transaction = reparseTransaction(order.transaction, network);
  const key = bytesKey(order.script);
  const script = readScripts.use(key) ?? readScripts.set(key, order.script);
  return runReport({ transaction, script, height }, { chainId: network.chainId, allowance, texts });
}
