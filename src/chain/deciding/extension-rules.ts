import type { BlockHeader } from "../../blocks/block.ts";
import { encodeBase58 } from "../../bytes/base58.ts";
import { bytesEqual } from "../../bytes/compare.ts";
import { blockScore, MAX_FUTURE_MS } from "../../consensus/proof-of-stake.ts";
import { failed, ok, type Result } from "../../errors/result.ts";
import type { Reader } from "../../storage/kv.ts";
import { tables } from "../../storage/tables.ts";
import type { Tip } from "../reading/tip.ts";
import { genericRefusal, invalidBlockRefusal } from "./block-refusal.ts";
import type { CheckpointList } from "./checkpoints.ts";
import type { ExtensionResult } from "./extension-result.ts";

export interface ExtensionLimits {
  /** Maximum depth of the common block. Page 04 §23.2, `max-rollback`. */
  readonly maxRollback: number;
  /** Called once per attempt, before any change, if headers and signatures are valid and the score is above ours. */
  readonly onEvidence?: ((evidence: ChainEvidence) => void) | undefined;
}

/** Proven height and score of a peer's chain. */
export interface ChainEvidence {
  readonly height: number;
  readonly score: bigint;
}

export interface ExtensionPlan {
  /** Index of the first header that our chain lacks. */
  readonly firstNew: number;
  /** Id of the newest common unit. */
  readonly common: Uint8Array;
  /** True if `common` is the id of a micro block in our liquid block: other nodes may not know this id. */
  readonly startsAtMicroBlock: boolean;
  /** Height and score after the extension; the score is from unverified base targets. */
  readonly height: number;
  readonly score: bigint;
}

interface CheckInput {
  readonly reader: Reader;
  readonly tip: Tip;
  readonly checkpoints: CheckpointList;
  /** Local clock, ms. */
  readonly now: number;
}

/**
 * Checks the headers of an extension, oldest first: page 03 §12.3, steps 2 to 5. Also requires consecutive blocks, a
 * fork that is not too deep, and a score above ours.
 */
export function checkExtension(
  { reader, tip, checkpoints, now }: CheckInput,
  headers: readonly BlockHeader[],
  { maxRollback }: ExtensionLimits,
): Result<ExtensionPlan, ExtensionResult> {
  const unlinked = headers.find(
    (header, i) => i > 0 && !bytesEqual(header.reference, headers[i - 1].signature),
  );
  if (unlinked !== undefined) {
    const text = `height: history does not contain parent ${encodeBase58(unlinked.reference)}`;
    return failed({ kind: "unlinked", refusal: invalidBlockRefusal(unlinked, text) });
  }
  const firstNew = headers.findIndex(({ signature }) => reader.get(tables.blockIds, signature) === undefined);
  if (firstNew < 0) return failed({ kind: "known" });
  const newHeaders = headers.slice(firstNew);
  const common = newHeaders[0].reference;
  const commonUnit = reader.get(tables.blockIds, common);
  if (commonUnit === undefined)
    return failed({ kind: "no common parent", refusal: genericRefusal("Fork contains no common parent") });
  const { height } = commonUnit;
  if (height < tip.height - maxRollback) {
    const text = `Fork begins ${tip.height - height} blocks back, which is more than ${maxRollback}, declining fork`;
    return failed({ kind: "too deep", refusal: genericRefusal(text) });
  }
  if (newHeaders.some(({ signature }, i) => !checkpoints.allows(height + 1 + i, signature))) {
    const text = "Fork contains block that doesn't match checkpoint, declining fork";
    return failed({ kind: "checkpoint", refusal: genericRefusal(text) });
  }
  let score = reader.get(tables.score, height) ?? 0n;
  // A base target of 0 or less adds no score; the block is rejected later.
  for (const { baseTarget } of newHeaders) if (baseTarget > 0n) score += blockScore(baseTarget);
  if (score <= tip.score) return failed({ kind: "not better", score });
  const future = newHeaders.find(({ timestamp }) => timestamp - BigInt(now) >= MAX_FUTURE_MS);
  if (future !== undefined) return failed(futureResult(future));
  const startsAtMicroBlock = commonUnit.sequence > 0 && height === tip.height && tip.liquid;
  return ok({ firstNew, common, startsAtMicroBlock, height: height + newHeaders.length, score });
}

/** Page 03 §8.6. */
export function futureResult({
  signature,
  timestamp,
}: Pick<BlockHeader, "signature" | "timestamp">): ExtensionResult {
  return { kind: "future", id: signature, dueAt: Number(timestamp - MAX_FUTURE_MS) + 1 };
}
