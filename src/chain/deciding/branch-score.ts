import type { BlockHeader } from "../../blocks/block.ts";
import { bytesEqual } from "../../bytes/compare.ts";
import { blockScore, MAX_FUTURE_MS } from "../../consensus/proof-of-stake.ts";
import type { Clock } from "../../interfaces.ts";
import type { LedgerRules } from "../../ledger/era.ts";
import type { Reader } from "../../storage/kv.ts";
import { tables } from "../../storage/tables.ts";
import type { Tip } from "../reading/tip.ts";
import type { CheckpointList } from "./checkpoints.ts";
import { ForkHeaders } from "./fork-headers.ts";
import type { ProofOfStake } from "./proof-of-stake.ts";

interface BranchContext {
  readonly reader: Reader;
  readonly tip: Tip;
  readonly checkpoints: CheckpointList;
  readonly rules: LedgerRules;
  readonly proofOfStake: ProofOfStake;
  readonly clock: Pick<Clock, "now">;
}

/**
 * Computes the score of our chain up to `common`, continued by a branch. The branch may begin at any depth: balances of
 * all heights are stored. Nothing is undone.
 * @param headers signed blocks after `common`, oldest first
 * @param checkedCount number of first headers that an earlier call accepted
 * @returns undefined if a header fails the checks that need no transaction, or a checkpoint excludes it
 */
export function branchScore(
  { reader, tip, checkpoints, rules, proofOfStake, clock }: BranchContext,
  common: Uint8Array,
  headers: readonly BlockHeader[],
  checkedCount: number,
): bigint | undefined {
  const height = reader.get(tables.blockIds, common)?.height;
  if (height === undefined) return undefined;
  const fork = new ForkHeaders({ reader, tip, rules, proofOfStake, common }, headers);
  const now = BigInt(clock.now());
  let score = reader.get(tables.score, height) ?? 0n;
  for (const [index, header] of headers.entries()) {
    const parent = index === 0 ? common : headers[index - 1].signature;
    const isValid =
      index < checkedCount ||
      (bytesEqual(header.reference, parent) &&
        checkpoints.allows(height + 1 + index, header.signature) &&
        header.timestamp - now < MAX_FUTURE_MS &&
        fork.headerRefusal(index) === undefined &&
        fork.scriptRefusal(index) === undefined &&
        fork.balanceRefusal(index) === undefined &&
        fork.delayRefusal(index) === undefined);
    if (!isValid) return undefined;
    score += blockScore(header.baseTarget);
  }
  return score;
}
