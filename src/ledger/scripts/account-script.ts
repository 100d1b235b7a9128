/** Page 08 §15, §16. */
import { type ScriptVar, type ScriptVerdict, type ScriptWork, scriptText } from "../../script/index.ts";
import type { Transaction } from "../../transactions/index.ts";
import type { Era } from "../era.ts";
import { Refusal, type ScriptRecord } from "../refusal.ts";
import {
  cachedReportOf,
  cacheReport,
  evaluateRun,
  loadScript,
  type ScriptRun,
  varsOf,
} from "./script-verdicts.ts";

/** Creates the texts on demand, because few are read. */
class RunRecord implements ScriptRecord {
  readonly #script: Uint8Array;
  readonly #vars: () => readonly ScriptVar[];

  constructor(script: Uint8Array, vars: () => readonly ScriptVar[]) {
    this.#script = script;
    this.#vars = vars;
  }

  get script(): string {
    return scriptText(loadScript(this.#script));
  }

  get vars(): readonly ScriptVar[] {
    return this.#vars();
  }
}

const TOO_MUCH_WORK = "Script exceeds this node's work limit for a transaction";

/**
 * Returns a refusal if the script does not allow the transaction. Exceptions of the reference become script errors
 * (page 08 §16.3).
 * @param work limits and counts the run's work; undefined for blocks, which have no limit
 */
export function runScript(
  bytes: Uint8Array,
  transaction: Transaction,
  era: Pick<Era, "height" | "rules">,
  work: ScriptWork | undefined,
): Refusal | undefined {
  const { height } = era;
  const { chainId } = era.rules;
  const run: ScriptRun = { transaction, script: bytes, height };
  const limits = { chainId, allowance: work?.maxPerRun };
  const cached = cachedReportOf(run, limits);
  if (cached !== undefined) {
    // If `vars` was not cached, the script must run again.
    const vars = () => cached.vars ?? varsOf(evaluateRun(run, chainId, work).verdict);
    return refusalOf(cached.outcome, cached.text, bytes, vars);
  }
  const { verdict, text, readsHeight } = evaluateRun(run, chainId, work);
  const { outcome } = verdict;
  // The pool caches costly runs with other outcomes (`mempool/refused-run-cache.ts`).
  if (outcome === "allowed") cacheReport(run, limits, { outcome, text: "", vars: undefined, readsHeight });
  if (outcome === "used up" && work === undefined)
    throw new Error("A script run without a work limit was stopped");
  return refusalOf(outcome, text, bytes, () => varsOf(verdict));
}

function refusalOf(
  outcome: ScriptVerdict["outcome"],
  text: string,
  script: Uint8Array,
  vars: () => readonly ScriptVar[],
): Refusal | undefined {
  switch (outcome) {
    case "allowed":
      return undefined;
    case "refused":
      return new Refusal("TransactionNotAllowedByScript", [], undefined, new RunRecord(script, vars));
    case "error":
    case "exception":
      return new Refusal("ScriptExecutionError", [text], undefined, new RunRecord(script, vars));
    case "used up":
      return new Refusal("ScriptExecutionError", [TOO_MUCH_WORK], undefined, new RunRecord(script, () => []));
  }
}
