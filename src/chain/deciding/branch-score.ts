import type { BlockHeader } from "../../blocks/block.ts";
import { bytesEqual } from "../../bytes/compare.ts";
import { BALANCE_WINDOW, blockScore, MAX_FUTURE_MS } from "../../consensus/proof-of-stake.ts";
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

/** In longer branches, our balances up to the common block give no upper bound for the last generators' stakes. */
export const MAX_BRANCH_BLOCKS = BALANCE_WINDOW - 1;

export interface BranchScore {
  readonly score: bigint;
  /**
   * True if the score exceeds our score. A branch of `MAX_BRANCH_BLOCKS` blocks is compared with our score at the
   * branch's last timestamp.
   */
  readonly isBetter: boolean;
}

/**
 * Computes the score of our chain up to `common`, continued by a branch.
 * @param headers signed blocks after `common`, oldest first; at most `MAX_BRANCH_BLOCKS`
 * @param checkedCount number of leading headers that an earlier call accepted
 * @returns undefined if `common` is unknown, or a header is invalid or contradicts a checkpoint
 */
export function branchScore(
  { reader, tip, checkpoints, rules, proofOfStake, clock }: BranchContext,
  common: Uint8Array,
  headers: readonly BlockHeader[],
  checkedCount: number,
): BranchScore | undefined {
  if (headers.length > MAX_BRANCH_BLOCKS) throw new RangeError(`The branch has ${headers.length} blocks`);
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
  const ourScore =
    headers.length < MAX_BRANCH_BLOCKS
      ? tip.score
      : (reader.get(tables.score, heightAtTime(reader, tip, headers[headers.length - 1].timestamp)) ??
        tip.score);
  return { score, isBetter: score > ourScore };
}

function heightAtTime(reader: Reader, { height }: Tip, time: bigint): number {
  let [low, high] = [1, height];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    const header = reader.get(tables.headers, middle);
    if (header !== undefined && header.timestamp <= time) low = middle;
    else high = middle - 1;
  }
  return low;
}
