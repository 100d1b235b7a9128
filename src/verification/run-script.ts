import { bytesKey } from "../bytes/compare.ts";
import { BoundedCache } from "../collections/bounded-cache.ts";
import { runReport, type ScriptReport } from "../ledger/scripts/script-verdicts.ts";
import { type NetworkRules, reparseTransaction } from "../transactions/index.ts";

export interface ScriptJob {
  readonly script: Uint8Array;
  /** Its bytes include its proofs, so parsing them gives the same transaction. */
  readonly transaction: Uint8Array;
  readonly height: number;
  readonly allowance: number | undefined;
  readonly texts: boolean;
}

/**
 * Caches the last scripts by their bytes, since each job brings its own copy. At most 64 scripts of 8 KB with their
 * parsed forms.
 */
const readScripts = new BoundedCache<Uint8Array>({ entries: 64 });

/** Runs a script. Throws only on a bug: the caller has parsed the transaction before. */
export function runScriptJob(job: ScriptJob, network: NetworkRules): ScriptReport {
  const { height, allowance, texts } = job;
  const transaction = reparseTransaction(job.transaction, network);
  const key = bytesKey(job.script);
  const script = readScripts.use(key) ?? readScripts.set(key, job.script);
  return runReport({ transaction, script, height }, { chainId: network.chainId, allowance, texts });
}
