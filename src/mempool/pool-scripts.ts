import { bytesKey } from "../bytes/compare.ts";
import type { Clock } from "../interfaces.ts";
import { MAX_POOL_SCRIPT_WORK } from "../ledger/limits.ts";
import {
  cachedReportOf,
  cacheReport,
  type ScriptReport,
  type ScriptRun,
} from "../ledger/scripts/script-verdicts.ts";
import type { LedgerView } from "../ledger/state.ts";
import { hasOneSignature, type Transaction } from "../transactions/index.ts";
import { RefusedRunCache } from "./refused-run-cache.ts";
import {
  ORDINARY_SCRIPT_WORK,
  ScriptPenalties,
  SENDER_PENALTIES,
  SOURCE_PENALTIES,
} from "./script-penalties.ts";

/** Limits the script work of senders and sources (clients or peers). */
export class PoolScripts {
  readonly #senderPenalties: ScriptPenalties;
  readonly #sourcePenalties: ScriptPenalties;
  readonly #refused: RefusedRunCache;
  readonly #limits: { readonly chainId: number; readonly allowance: number };
  /** Work of scripts that allowed their transaction: charged if the pool refuses it later. */
  readonly #allowedWork = new WeakMap<Transaction, number>();

  constructor(clock: Pick<Clock, "monotonic">, chainId: number) {
    this.#senderPenalties = new ScriptPenalties(clock, SENDER_PENALTIES);
    this.#sourcePenalties = new ScriptPenalties(clock, SOURCE_PENALTIES);
    this.#refused = new RefusedRunCache(clock);
    this.#limits = { chainId, allowance: MAX_POOL_SCRIPT_WORK };
  }

  /** Returns the run that validation needs; undefined if no script has to run or its report is cached. */
  missingRun(view: LedgerView, transaction: Transaction): ScriptRun | undefined {
    const script = view.script(transaction.senderAddress)?.script;
    if (script === undefined || hasOneSignature(transaction)) return undefined;
    const run = { transaction, script, height: view.height };
    if (cachedReportOf(run, this.#limits) !== undefined) return undefined;
    const refused = this.#refused.get(run);
    if (refused === undefined) return run;
    cacheReport(run, this.#limits, refused);
    return undefined;
  }

  /** Work limit in units of `ScriptWork`; `none` if the sender is throttled. */
  allowance(source: string, { transaction }: ScriptRun): number | "none" {
    if (this.#senderPenalties.isThrottled(bytesKey(transaction.senderAddress))) return "none";
    return this.#sourcePenalties.isThrottled(source) ? ORDINARY_SCRIPT_WORK : MAX_POOL_SCRIPT_WORK;
  }

  /** @returns false if the run decided nothing: it exceeded the lower limit of a throttled source */
  recordRun(source: string, run: ScriptRun, report: ScriptReport, allowance: number): boolean {
    const { transaction } = run;
    const { outcome, work } = report;
    if (outcome === "allowed") {
      this.#allowedWork.set(transaction, work);
      return true;
    }
    this.#senderPenalties.add(bytesKey(transaction.senderAddress), work);
    this.#sourcePenalties.add(source, work);
    if (outcome === "used up" && allowance < MAX_POOL_SCRIPT_WORK) return false;
    if (work > ORDINARY_SCRIPT_WORK) this.#refused.add(run, report);
    return true;
  }

  isThrottled(view: LedgerView, transaction: Transaction): boolean {
    return (
      !this.#senderPenalties.isEmpty &&
      this.#senderPenalties.isThrottled(bytesKey(transaction.senderAddress)) &&
      this.missingRun(view, transaction) !== undefined
    );
  }

  /** @param work script work of the pool's own validation */
  recordRefusal(transaction: Transaction, work: number): void {
    const allowedWork = this.#allowedWork.get(transaction) ?? 0;
    this.#allowedWork.delete(transaction);
    this.#senderPenalties.add(bytesKey(transaction.senderAddress), work + allowedWork);
  }
}
