/** The sender's script as judge of a transaction. Page 08 §15, §16. */
import {
  evaluateScript,
  type ScriptVar,
  type ScriptVerdict,
  type ScriptWork,
  type StoredScript,
  scriptText,
} from "../../script/index.ts";
import { scriptView, type Transaction } from "../../transactions/index.ts";
import type { Era } from "../era.ts";
import { Refusal, type ScriptRecord } from "../refusal.ts";
import { loadScript, rememberedReport, rememberReport, type ScriptRun, varsOf } from "./script-verdicts.ts";

/** What a refusal carries of the run. The texts are made when somebody reads them, which few do. */
class RunRecord implements ScriptRecord {
  readonly #script: StoredScript;
  readonly #vars: () => readonly ScriptVar[];

  constructor(script: StoredScript, vars: () => readonly ScriptVar[]) {
    this.#script = script;
    this.#vars = vars;
  }

  get script(): string {
    return scriptText(this.#script);
  }

  get vars(): readonly ScriptVar[] {
    return this.#vars();
  }
}

/** What is said of a script that takes more work than the pool allows it. */
const TOO_MUCH_WORK = "Script takes more work than this node does for a transaction that it is sent";

/**
 * Refuses a transaction that a script of the state does not allow. What a run of it gave ahead is taken; otherwise it
 * is made on the spot. Where the reference fails with an exception this is a script error (page 08 §16.3).
 * @param work what the run may take, and what it took; undefined where a block is judged, which any amount may decide
 */
export function runScript(
  bytes: Uint8Array,
  transaction: Transaction,
  era: Era,
  work: ScriptWork | undefined,
): Refusal | undefined {
  const { height } = era;
  const { chainId } = era.rules;
  const run: ScriptRun = { transaction, script: bytes, height };
  const limits = { chainId, allowance: work?.maxPerRun };
  const known = rememberedReport(run, limits);
  if (known?.outcome === "allowed") return undefined;
  const script = loadScript(bytes);
  if (known !== undefined) {
    // Texts that nobody wanted then are found when somebody reads them.
    const vars = () => known.vars ?? varsOf(evaluate(script, run, chainId, work));
    return refusalOf(known.outcome, known.text, script, vars);
  }
  let readsHeight = false;
  const verdict = evaluate(script, run, chainId, work, () => {
    readsHeight = true;
  });
  const { outcome } = verdict;
  // What refuses is not kept: its log can hold much.
  if (outcome === "allowed") rememberReport(run, limits, { outcome, text: "", vars: undefined, readsHeight });
  if (outcome === "used up" && work === undefined) throw new Error("a run without a bound was ended");
  const text = outcome === "error" ? verdict.error : outcome === "exception" ? verdict.exception : "";
  return refusalOf(outcome, text, script, () => varsOf(verdict));
}

function evaluate(
  script: StoredScript,
  { transaction, height }: ScriptRun,
  chainId: number,
  work: ScriptWork | undefined,
  onHeight?: () => void,
): ScriptVerdict {
  return evaluateScript(script, { transaction: scriptView(transaction), height, chainId, work, onHeight });
}

function refusalOf(
  outcome: ScriptVerdict["outcome"],
  text: string,
  script: StoredScript,
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
