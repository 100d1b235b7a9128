import { bytesKey } from "../bytes/compare.ts";
import { BoundedCache } from "../collections/bounded-cache.ts";
import { runReport, type ScriptReport } from "../ledger/scripts/script-verdicts.ts";
import { type NetworkRules, reparseTransaction } from "../transactions/index.ts";

export interface ScriptJob {
  readonly script: Uint8Array;
  readonly transaction: Uint8Array;
  readonly height: number;
  /** Maximum work, in units of `ScriptWork`; undefined: no limit. */
  readonly allowance: number | undefined;
  readonly includesVars: boolean;
}

/** Maps equal scripts to one array, because `runReport` caches parsed scripts by array. At most 64 scripts of 8 KB. */
const scriptArrays = new BoundedCache<Uint8Array>({ entries: 64 });

/** Any error is a bug: the caller has parsed the transaction. */
export function runScriptJob(job: ScriptJob, network: NetworkRules): ScriptReport {
  const { height, allowance, includesVars } = job;
  const transaction = reparseTransaction(job.transaction, network);
  const key = bytesKey(job.script);
  const script = scriptArrays.use(key) ?? scriptArrays.set(key, job.script);
  return runReport({ transaction, script, height }, { chainId: network.chainId, allowance, includesVars });
}
