/** What the pool does about the scripts of senders: which are run for whom, and what is remembered of those that ran. */
import { bytesKey } from "../bytes/compare.ts";
import type { Clock } from "../interfaces.ts";
import { MAX_POOL_SCRIPT_WORK } from "../ledger/limits.ts";
import {
  rememberedReport,
  rememberReport,
  type ScriptReport,
  type ScriptRun,
} from "../ledger/scripts/script-verdicts.ts";
import type { LedgerView } from "../ledger/state.ts";
import { hasOneSignature, type Transaction } from "../transactions/index.ts";
import { RefusedRuns } from "./refused-runs.ts";
import { DEBTS_OF_SENDER, DEBTS_OF_SOURCE, ORDINARY_SCRIPT_WORK, ScriptDebts } from "./script-debts.ts";

/** It decides about the pool alone, never about a block. */
export class PoolScripts {
  readonly #ofSenders: ScriptDebts;
  readonly #ofSources: ScriptDebts;
  readonly #refused: RefusedRuns;
  readonly #limits: { readonly chainId: number; readonly allowance: number };
  /** What runs took that were made ahead and allowed a transaction: it may be refused for something else. */
  readonly #spent = new WeakMap<Transaction, number>();

  constructor(clock: Pick<Clock, "monotonic">, chainId: number) {
    this.#ofSenders = new ScriptDebts(clock, DEBTS_OF_SENDER);
    this.#ofSources = new ScriptDebts(clock, DEBTS_OF_SOURCE);
    this.#refused = new RefusedRuns(clock);
    this.#limits = { chainId, allowance: MAX_POOL_SCRIPT_WORK };
  }

  /** What has to be run before a transaction can be judged; undefined where nothing has to be, or it is known. */
  runOf(view: LedgerView, transaction: Transaction): ScriptRun | undefined {
    const script = view.script(transaction.senderAddress)?.script;
    if (script === undefined || hasOneSignature(transaction)) return undefined;
    const run = { transaction, script, height: view.height };
    if (rememberedReport(run, this.#limits) !== undefined) return undefined;
    const refused = this.#refused.get(run);
    if (refused === undefined) return run;
    rememberReport(run, this.#limits, refused);
    return undefined;
  }

  /**
   * How much a run may take for a source now, in units of `ScriptWork`. A source that has brought much that was refused
   * after much work gets what scripts take as people write them.
   */
  allowance(source: string, { transaction }: ScriptRun): number | "none" {
    if (this.#ofSenders.isWaiting(bytesKey(transaction.senderAddress))) return "none";
    return this.#ofSources.isWaiting(source) ? ORDINARY_SCRIPT_WORK : MAX_POOL_SCRIPT_WORK;
  }

  /** Books a run that was made ahead for a source. @returns false when it was ended early, which says nothing */
  ran(source: string, run: ScriptRun, report: ScriptReport, allowance: number): boolean {
    const { transaction } = run;
    const { outcome, work } = report;
    if (outcome === "allowed") {
      this.#spent.set(transaction, work);
      return true;
    }
    this.#ofSenders.add(bytesKey(transaction.senderAddress), work);
    this.#ofSources.add(source, work);
    if (outcome === "used up" && allowance < MAX_POOL_SCRIPT_WORK) return false;
    if (work > ORDINARY_SCRIPT_WORK) this.#refused.keep(run, report);
    return true;
  }

  /** Whether a transaction waits, since its script would have to be run for a sender that owes for others. */
  isWaiting(view: LedgerView, transaction: Transaction): boolean {
    return (
      !this.#ofSenders.isEmpty &&
      this.#ofSenders.isWaiting(bytesKey(transaction.senderAddress)) &&
      this.runOf(view, transaction) !== undefined
    );
  }

  /** A transaction was refused after so much work of its script on the spot. */
  refused(transaction: Transaction, units: number): void {
    const ahead = this.#spent.get(transaction) ?? 0;
    this.#spent.delete(transaction);
    this.#ofSenders.add(bytesKey(transaction.senderAddress), units + ahead);
  }
}
