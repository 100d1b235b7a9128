/** What scripts have said of transactions: found out ahead of the writer, or at its place in the order of the checks. */
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

/** A run of a script on a transaction. What it gives follows from these, the transaction's proofs and the chain id. */
export interface ScriptRun {
  readonly transaction: Transaction;
  /** The script, as the state holds it. */
  readonly script: Uint8Array;
  /** Value of `height`. */
  readonly height: number;
}

/**
 * The runs of a block's transactions as its parent's state has their scripts, as many as a block may hold: what its
 * own transactions change of scripts is seen at its place.
 */
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

/** What a run gave, as plain data, which crosses threads. Outcomes as in `ScriptVerdict`. */
export interface ScriptReport {
  readonly outcome: "allowed" | "refused" | "error" | "exception" | "used up";
  /** Of an error or an exception. */
  readonly text: string;
  /** The log of a run that refuses; undefined where nobody wanted its texts. */
  readonly vars: readonly ScriptVar[] | undefined;
  /** Whether the script read `height`: what it says without holds at every height. */
  readonly readsHeight: boolean;
  /** What the run took, in units of `ScriptWork`. */
  readonly work: number;
}

/** How a run is made. */
interface RunLimits {
  readonly chainId: number;
  /** Units of `ScriptWork` that it may take; undefined where a block is judged, which any amount may decide. */
  readonly allowance: number | undefined;
  /** Whether the texts of its log are wanted. */
  readonly texts: boolean;
}

/** Scripts read before, by the very bytes that the state hands out: these never change. */
const loadedScripts = new WeakMap<Uint8Array, StoredScript>();

/** The script of the state that these bytes are. */
export function loadScript(bytes: Uint8Array): StoredScript {
  const known = loadedScripts.get(bytes);
  if (known !== undefined) return known;
  const script = storedScript(bytes);
  loadedScripts.set(bytes, script);
  return script;
}

/** The texts of a verdict's log. */
export function varsOf(verdict: ScriptVerdict): readonly ScriptVar[] {
  return "vars" in verdict ? verdict.vars() : [];
}

/** Makes a run. Throws only on a bug. @param work what the run may take; undefined for no limit */
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

/** The same with a limit of its own, as a report. It depends on nothing but its arguments. */
export function runReport(run: ScriptRun, { chainId, allowance, texts }: RunLimits): ScriptReport {
  const work = new ScriptWork(allowance);
  const { verdict, text, readsHeight } = evaluateRun(run, chainId, work);
  const vars = texts ? varsOf(verdict) : undefined;
  return { outcome: verdict.outcome, text, vars, readsHeight, work: work.used };
}

/** What is known of a transaction, and of which run. */
interface Known {
  readonly script: Uint8Array;
  readonly chainId: number;
  /** Undefined when the script did not read it. */
  readonly height: number | undefined;
  readonly allowance: number | undefined;
  readonly report: Pick<ScriptReport, "outcome" | "text" | "vars">;
}

/** By the object, which never changes and has its proofs: it goes from the pool into a block. The last run counts. */
const known = new WeakMap<Transaction, Known>();

/** Texts of errors are kept up to here where nobody wanted them: a run that gave a longer one is made again. */
const MAX_CACHED_TEXT = 1_000;

/** Keeps what a run gave. */
export function rememberReport(
  { transaction, script, height }: ScriptRun,
  { chainId, allowance }: Omit<RunLimits, "texts">,
  { outcome, text, vars, readsHeight }: Omit<ScriptReport, "work">,
): void {
  if (vars === undefined && text.length > MAX_CACHED_TEXT) return;
  const report = { outcome, text, vars };
  known.set(transaction, { script, chainId, height: readsHeight ? height : undefined, allowance, report });
}

/**
 * What was remembered of exactly this run: the same script byte by byte, at the same height where the script reads it.
 * That its work was used up is an answer only for who gives it no more than that.
 */
export function rememberedReport(
  { transaction, script, height }: ScriptRun,
  { chainId, allowance }: Omit<RunLimits, "texts">,
): Known["report"] | undefined {
  const found = known.get(transaction);
  if (
    found === undefined ||
    found.chainId !== chainId ||
    (found.height !== undefined && found.height !== height) ||
    !bytesEqual(found.script, script)
  )
    return undefined;
  const isEnded = found.report.outcome === "used up";
  if (isEnded && (allowance === undefined || allowance > (found.allowance ?? 0))) return undefined;
  return found.report;
}

/** Whether what is remembered of a transaction holds at one height only. */
export function holdsAtOneHeight(transaction: Transaction): boolean {
  return known.get(transaction)?.height !== undefined;
}
