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
import { RefusedRunCache } from "./refused-run-cache.ts";
import {
  ORDINARY_SCRIPT_WORK,
  ScriptPenalties,
  SENDER_PENALTIES,
  SOURCE_PENALTIES,
} from "./script-penalties.ts";

/** It decides about the pool alone, never about a block. */
export class PoolScripts {
  readonly #ofSenders: ScriptPenalties;
  readonly #ofSources: ScriptPenalties;
  readonly #refused: RefusedRunCache;
  readonly #limits: { readonly chainId: number; readonly allowance: number };
  /** What runs took that were made ahead and allowed a transaction: it may be refused for something else. */
  readonly #spent = new WeakMap<Transaction, number>();

  constructor(clock: Pick<Clock, "monotonic">, chainId: number) {
    this.#ofSenders = new ScriptPenalties(clock, SENDER_PENALTIES);
    this.#ofSources = new ScriptPenalties(clock, SOURCE_PENALTIES);
    this.#refused = new RefusedRunCache(clock);
    this.#limits = { chainId, allowance: MAX_POOL_SCRIPT_WORK };
  }

  /** What has to be run before a transaction can be judged; undefined where nothing has to be, or it is known. */
  missingRun(view: LedgerView, transaction: Transaction): ScriptRun | undefined {
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
    if (this.#ofSenders.isThrottled(bytesKey(transaction.senderAddress))) return "none";
    return this.#ofSources.isThrottled(source) ? ORDINARY_SCRIPT_WORK : MAX_POOL_SCRIPT_WORK;
  }

  /** Books a run that was made ahead for a source. @returns false when it was ended early, which says nothing */
  recordRun(source: string, run: ScriptRun, report: ScriptReport, allowance: number): boolean {
    const { transaction } = run;
    const { outcome, work } = report;
    if (outcome === "allowed") {
      this.#spent.set(transaction, work);
      return true;
    }
    this.#ofSenders.add(bytesKey(transaction.senderAddress), work);
    this.#ofSources.add(source, work);
    if (outcome === "used up" && allowance < MAX_POOL_SCRIPT_WORK) return false;
    if (work > ORDINARY_SCRIPT_WORK) this.#refused.add(run, report);
    return true;
  }

  /** Whether a transaction waits, since its script would have to be run for a sender that owes for others. */
  isThrottled(view: LedgerView, transaction: Transaction): boolean {
    return (
      !this.#ofSenders.isEmpty &&
      this.#ofSenders.isThrottled(bytesKey(transaction.senderAddress)) &&
      this.missingRun(view, transaction) !== undefined
    );
  }

  /** A transaction was refused after so much work of its script on the spot. */
  recordRefusal(transaction: Transaction, units: number): void {
    const ahead = this.#spent.get(transaction) ?? 0;
    this.#spent.delete(transaction);
    this.#ofSenders.add(bytesKey(transaction.senderAddress), units + ahead);
  }
}
