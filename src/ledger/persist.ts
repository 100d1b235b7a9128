/** Persists blocks (makes them final) when their child arrives, or after a rollback or import. Page 05 §5, §23.8. */
import {
  endsFeatureWindow,
  feeVoteWindow,
  nextFeePrice,
  votesForActivation,
  windowLength,
  windowOf,
} from "../consensus/votes.ts";
import { applyDelta, Deltas } from "./account.ts";
import { feePriceAt, type LedgerRules } from "./era.ts";
import type { LedgerView, LedgerWriter, Unbonding } from "./state.ts";

/**
 * Persists the next block: releases due amounts, schedules the release of amounts that start unbonding, and counts
 * votes at the end of a window.
 * @throws RangeError if every block is persisted
 */
export function persistBlock(ledger: LedgerWriter, rules: LedgerRules): void {
  const height = ledger.persistedHeight + 1;
  if (height > ledger.height) throw new RangeError("There is no block to persist");
  releaseUnbonding(ledger, rules, height);
  approveFeatures(ledger, rules, height);
  decideFeePrice(ledger, rules, height);
  const { lostReleaseHeight } = rules.functionality;
  if (lostReleaseHeight !== undefined) ledger.setUnbondingDue(lostReleaseHeight, []);
  ledger.setPersistedHeight(height);
}

/**
 * Releases due amounts, and schedules new ones. If an account has both in one block, only the excess of the new amount
 * over the due one is scheduled. The rest of the new amount is never released (a defect of the reference, page 05
 * §18.3).
 */
function releaseUnbonding(ledger: LedgerWriter, rules: LedgerRules, height: number): void {
  const due = ledger.unbondingDue(height);
  const started = ledger.unbondingStarted(height);
  if (due.length === 0 && started.length === 0) return;
  const net = new Deltas();
  for (const { address, amount } of started) net.add(address, amount);
  for (const { address, amount } of due) {
    net.add(address, -amount);
    const account = ledger.account(address);
    ledger.setAccount(
      address,
      applyDelta(account, { address, balance: 0n, leaseIn: 0n, leaseOut: 0n, unbonding: -amount }),
    );
  }
  const scheduled: Unbonding[] = [];
  for (const { address, balance } of net.list) {
    if (balance > 0n) scheduled.push({ address, amount: balance });
  }
  // If the period is 0, the new amounts are never released.
  const at = height + rules.functionality.leaseUnbondingPeriod;
  if (scheduled.length > 0) ledger.setUnbondingDue(at, scheduled);
}

/** Page 05 §5, step 8. */
function approveFeatures(ledger: LedgerWriter, rules: LedgerRules, height: number): void {
  const { functionality } = rules;
  if (!endsFeatureWindow(functionality, height)) return;
  const length = windowLength(functionality, height);
  const needed = votesForActivation(functionality, height);
  const approved: number[] = [];
  for (const [feature, votes] of countFeatureVotes(ledger, height, length)) {
    if (votes >= needed) approved.push(feature);
  }
  // Pre-activated features are stored only together with a feature that is not pre-activated.
  if (!approved.some((feature) => !functionality.preActivatedFeatures.has(feature))) return;
  const stored = ledger.features();
  for (const feature of approved) {
    if (!stored.has(feature)) ledger.setFeature(feature, { approved: height, activated: height + length });
  }
}

/** The window's last block counts only for features that an earlier block of the window votes for. */
function countFeatureVotes(view: LedgerView, height: number, length: number): Map<number, number> {
  const votes = new Map<number, number>();
  const { first } = windowOf(height, length);
  for (let at = first; at < height; at++) {
    for (const feature of new Set(view.blockFacts(at)?.features)) {
      votes.set(feature, (votes.get(feature) ?? 0) + 1);
    }
  }
  for (const feature of new Set(view.blockFacts(height)?.features)) {
    const earlierVotes = votes.get(feature);
    if (earlierVotes !== undefined) votes.set(feature, earlierVotes + 1);
  }
  return votes;
}

/** Counts the votes of the window without its last block. The price applies from one period later. Page 05 §13. */
function decideFeePrice(ledger: LedgerWriter, rules: LedgerRules, height: number): void {
  const { functionality } = rules;
  const period = functionality.feeVoteBlocksPeriod;
  if (height % period !== 0) return;
  const { first, last } = feeVoteWindow(functionality, height);
  let votes = 0;
  for (let at = first; at <= last; at++) votes += ledger.blockFacts(at)?.feeVote ?? 0;
  const price = nextFeePrice(functionality, feePriceAt(ledger, rules, height), votes);
  ledger.setFeePriceOfPeriod(height + period, price);
}
