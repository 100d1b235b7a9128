import { bytesEqual } from "../../bytes/compare.ts";
import {
  evaluateScript,
  type ScriptVar,
  type ScriptVerdict,
  ScriptWork,
  type StoredScript,
  storedScript,
} from "../../script/index.ts";
import { definitionOf, scriptView, type Transaction } from "../../transactions/index.ts";
import { MAX_SCRIPT_RUNS } from "../limits.ts";
import type { LedgerView } from "../state.ts";

/** A script run. The result depends only on these members and the chain id. */
export interface ScriptRun {
  readonly transaction: Transaction;
  readonly script: Uint8Array;
  readonly height: number;
}

/** Returns the runs for transactions whose senders have a script in `view`; at most `MAX_SCRIPT_RUNS`. */
export function scriptRuns(
  view: Pick<LedgerView, "script">,
  transactions: readonly Transaction[],
  height: number,
): ScriptRun[] {
  const runs: ScriptRun[] = [];
  for (const transaction of transactions) {
    if (!definitionOf(transaction).hasSender) continue;
    const script = view.script(transaction.senderAddress)?.script;
    if (script !== undefined && runs.push({ transaction, script, height }) === MAX_SCRIPT_RUNS) break;
  }
  return runs;
}

export interface ScriptReport {
  /** `error`, `exception`: failures (page 08 §14); `used up`: the work limit was exceeded. */
  readonly outcome: "allowed" | "refused" | "error" | "exception" | "used up";
  /** Text of an error or exception; empty for other outcomes. */
  readonly text: string;
  /** Empty unless the run refused or failed; undefined if not requested. */
  readonly vars: readonly ScriptVar[] | undefined;
  /** True if the script read `height`; otherwise the result is valid at every height. */
  readonly readsHeight: boolean;
  /** In units of `ScriptWork`. */
  readonly work: number;
}

interface RunOptions {
  readonly chainId: number;
  /** In units of `ScriptWork`; undefined for blocks. */
  readonly allowance: number | undefined;
  readonly includesVars: boolean;
}

/** Parsed scripts by byte array. Byte arrays of the state never change. */
const loadedScripts = new WeakMap<Uint8Array, StoredScript>();

export function loadScript(bytes: Uint8Array): StoredScript {
  const loaded = loadedScripts.get(bytes);
  if (loaded !== undefined) return loaded;
  const script = storedScript(bytes);
  loadedScripts.set(bytes, script);
  return script;
}

export function varsOf(verdict: ScriptVerdict): readonly ScriptVar[] {
  return "vars" in verdict ? verdict.vars() : [];
}

/** Throws only on a bug. */
export function evaluateRun(
  { script, transaction, height }: ScriptRun,
  chainId: number,
  work: ScriptWork | undefined,
): { readonly verdict: ScriptVerdict; readonly text: string; readonly readsHeight: boolean } {
  let readsHeight = false;
  const verdict = evaluateScript(loadScript(script), {
    transaction: scriptView(transaction),
    height,
    chainId,
    work,
    onHeight: () => {
      readsHeight = true;
    },
  });
  const { outcome } = verdict;
  const text = outcome === "error" ? verdict.error : outcome === "exception" ? verdict.exception : "";
  return { verdict, text, readsHeight };
}

/** Runs a script, and returns plain data for another thread. */
export function runReport(run: ScriptRun, { chainId, allowance, includesVars }: RunOptions): ScriptReport {
  const work = new ScriptWork(allowance);
  const { verdict, text, readsHeight } = evaluateRun(run, chainId, work);
  const vars = includesVars ? varsOf(verdict) : undefined;
  return { outcome: verdict.outcome, text, vars, readsHeight, work: work.used };
}

interface CachedReport {
  readonly script: Uint8Array;
  readonly chainId: number;
  /** Undefined if the script did not read the height. */
  readonly height: number | undefined;
  readonly allowance: number | undefined;
  readonly report: Pick<ScriptReport, "outcome" | "text" | "vars">;
}

const cachedReports = new WeakMap<Transaction, CachedReport>();

/** Maximum error text of a cached report without `vars`, characters. */
const MAX_CACHED_TEXT = 1_000;

export function cacheReport(
  { transaction, script, height }: ScriptRun,
  { chainId, allowance }: Omit<RunOptions, "includesVars">,
  { outcome, text, vars, readsHeight }: Omit<ScriptReport, "work">,
): void {
  if (vars === undefined && text.length > MAX_CACHED_TEXT) return;
  const report = { outcome, text, vars };
  cachedReports.set(transaction, {
    script,
    chainId,
    height: readsHeight ? height : undefined,
    allowance,
    report,
  });
}

/**
 * Returns the cached report for the same script and chain id and, if the script reads the height, the same height. A
 * report with the outcome `used up` is valid only for an equal or lower limit.
 */
export function cachedReportOf(
  { transaction, script, height }: ScriptRun,
  { chainId, allowance }: Omit<RunOptions, "includesVars">,
): CachedReport["report"] | undefined {
  const found = cachedReports.get(transaction);
  if (
    found === undefined ||
    found.chainId !== chainId ||
    (found.height !== undefined && found.height !== height) ||
    !bytesEqual(found.script, script)
  )
    return undefined;
  const isExhausted = found.report.outcome === "used up";
  if (isExhausted && (allowance === undefined || allowance > (found.allowance ?? 0))) return undefined;
  return found.report;
}

/** Returns true if the cached report is valid only at one height. */
export function isHeightDependent(transaction: Transaction): boolean {
  return cachedReports.get(transaction)?.height !== undefined;
}
