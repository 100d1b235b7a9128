/** Page 05 §7. */
import type { Transaction } from "../transactions/index.ts";
import type { Change } from "./effect.ts";
import { Refusal } from "./refusal.ts";
import type { LedgerWriter } from "./state.ts";
import { type Outcome, type ValidationContext, validateTransaction } from "./validate.ts";

/** Writes the effect of an accepted transaction at `ledger.height`. */
export function applyTransaction(
  ledger: LedgerWriter,
  transaction: Transaction,
  context: ValidationContext,
): Outcome | Refusal {
  const outcome = validateTransaction(ledger, transaction, context);
  if (!(outcome instanceof Refusal)) applyOutcome(ledger, outcome);
  return outcome;
}

/** Writes an outcome, which must have been computed on this state. */
export function applyOutcome(ledger: LedgerWriter, outcome: Outcome): void {
  const { effect, accounts } = outcome;
  const { list } = effect.deltas;
  for (let i = 0; i < list.length; i++) {
    const { address, balance, leaseIn, leaseOut, unbonding } = list[i];
    if (balance === 0n && leaseIn === 0n && leaseOut === 0n && unbonding === 0n) continue;
    ledger.setAccount(address, accounts[i]);
  }
  if (effect.change !== undefined) applyChange(ledger, effect.change);
  ledger.recordTransaction(outcome.id, outcome.transaction.timestamp, outcome.effectiveSponsor);
}

function applyChange(ledger: LedgerWriter, change: Change): void {
  switch (change.kind) {
    case "lease":
      ledger.setLease(change.id, change.lease);
      return;
    case "sponsor":
      if (change.isAdded) ledger.addSponsor(change.address, change.sponsor);
      else ledger.removeSponsor(change.address, change.sponsor);
      return;
    case "script":
      ledger.setScript(change.address, change.script);
      return;
    case "data":
      for (const entry of change.entries) ledger.setData(change.address, entry);
      return;
    case "certificate":
      ledger.setCertificate(change.address, change.certificate);
      return;
    case "association":
      ledger.appendAssociation(change);
      return;
  }
}
