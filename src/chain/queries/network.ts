import { windowLength, windowOf } from "../../consensus/votes.ts";
import { Queries } from "../../indexes/query-source.ts";
import type { DueBlocks, FeatureInfo, FeeVoteInfo, MissedBlocks, NetworkQueries } from "../../interfaces.ts";
import { feePriceAt } from "../../ledger/era.ts";
import { persistBlock } from "../../ledger/persist.ts";
import type { FeatureState } from "../../ledger/state.ts";
import { Overlay } from "../../storage/batch/overlay.ts";
import { StoredLedger } from "../../storage/ledger/ledger-state.ts";
import { dueBlocksOf } from "./due-blocks.ts";
import { missedBlocksOf } from "./missed-blocks.ts";
import type { SnapshotSource } from "./source.ts";

export class StoredNetworkQueries extends Queries<SnapshotSource> implements NetworkQueries {
  burned(height = this.source.ledger.height): bigint {
    return this.source.ledger.blockTotals(height)?.burned ?? 0n;
  }

  feeVotes(): FeeVoteInfo {
    const { ledger, context } = this.source;
    const { rules } = context;
    const { height } = ledger;
    const period = rules.functionality.feeVoteBlocksPeriod;
    const price = feePriceAt(ledger, rules, height);
    const nextActivationHeight = height + period - (height % period);
    const { first } = windowOf(Math.max(height, 1), period);
    let votes = 0;
    for (let at = first; at <= height; at++) votes += ledger.blockFacts(at)?.feeVote ?? 0;
    return {
      price,
      votes,
      period,
      nextPrice: feePriceAt(ledger, rules, nextActivationHeight),
      nextActivationHeight,
    };
  }

  features(): readonly FeatureInfo[] {
    const { ledger, context } = this.source;
    const { functionality } = context.rules;
    const { height } = ledger;
    const approved = approvalsOf(this.source);
    const votes = new Map<number, number>();
    const { first } = windowOf(Math.max(height, 1), windowLength(functionality, height));
    for (let at = first; at <= height; at++) {
      for (const id of new Set(ledger.blockFacts(at)?.features)) votes.set(id, (votes.get(id) ?? 0) + 1);
    }
    const ids = new Set([...functionality.preActivatedFeatures.keys(), ...approved.keys(), ...votes.keys()]);
    return [...ids]
      .sort((a, b) => a - b)
      .map((id) => ({
        id,
        approvalHeight: approved.get(id)?.approved,
        activationHeight: functionality.preActivatedFeatures.get(id) ?? approved.get(id)?.activated,
        votes: votes.get(id) ?? 0,
      }));
  }

  approvedFeatures(): readonly number[] {
    return [...approvalsOf(this.source).keys()];
  }

  dueBlocks(maxBlocks: number, limit: number): DueBlocks {
    return dueBlocksOf(this.source, maxBlocks, limit);
  }

  missedBlocks(maxBlocks: number, limit: number): MissedBlocks {
    return missedBlocksOf(this.source, maxBlocks, limit);
  }
}

/** Returns approved features, including those that the liquid block approves. Page 05 §23.1. */
export function approvalsOf({ reader, ledger, context }: SnapshotSource): ReadonlyMap<number, FeatureState> {
  if (ledger.height === ledger.persistedHeight) return ledger.features();
  const ahead = new StoredLedger(new Overlay(reader));
  persistBlock(ahead, context.rules);
  return ahead.features();
}
