import { type Block, type BlockHeader, isSerializedBlockSigned } from "../../blocks/block.ts";
import { BlockStructureError } from "../../blocks/errors.ts";
import type { MicroBlock } from "../../blocks/micro-block.ts";
import { encodeBase58 } from "../../bytes/base58.ts";
import { bytesEqual } from "../../bytes/compare.ts";
import { blockScore } from "../../consensus/proof-of-stake.ts";
import { unimplementedFeatureText } from "../../consensus/votes.ts";
import { addressOf } from "../../crypto/addresses.ts";
import { failed, ok, type Result } from "../../errors/result.ts";
import type { Clock } from "../../interfaces.ts";
import { persistedGeneratingBalance } from "../../ledger/balances.ts";
import type { LedgerRules } from "../../ledger/era.ts";
import { isScripted } from "../../ledger/scripts/counts-as-scripted.ts";
import type { NetworkProfile } from "../../profiles/profile.ts";
import { PERSIST_SEQUENCE } from "../../storage/batch/write-batch.ts";
import type { Reader } from "../../storage/kv.ts";
import type { StoredLedgerView } from "../../storage/ledger/ledger-view.ts";
import type { UnitKey } from "../../storage/places.ts";
import { tables } from "../../storage/tables.ts";
import { readBlock, storedBlockBytes } from "../reading/rows.ts";
import { sequenceInTip, type Tip } from "../reading/tip.ts";
import type { BlockChecks, OpenChange } from "../writing/open-change.ts";
import {
  type AppendResult,
  type BlockRefusal,
  blockRefusal,
  blockText,
  genericRefusal,
  microRefusal,
  scriptedRefusal,
} from "./block-refusal.ts";
import type { CheckpointList } from "./checkpoints.ts";
import { unsupportedFeatures } from "./feature-watch.ts";
import type { ProofOfStake } from "./proof-of-stake.ts";

interface BlockRulesDependencies {
  readonly profile: NetworkProfile;
  readonly rules: LedgerRules;
  readonly clock: Clock;
  readonly checkpoints: CheckpointList;
  readonly proofOfStake: ProofOfStake;
  /** Page 03 §6.4. */
  readonly stopOnUnsupportedFeature: boolean;
}

/** `known`: the chain has the block; `fits`: its parent is the tip or an earlier total of the tip. */
export type HeaderResult = Result<"known" | "fits", BlockRefusal>;

/** Accepts and removes blocks. Page 03 §12 to §14, page 05 §23. */
export class BlockRules {
  readonly #dependencies: BlockRulesDependencies;

  constructor(dependencies: BlockRulesDependencies) {
    this.#dependencies = dependencies;
  }

  /** Accepts a child of the tip or of an earlier total of the tip. Page 03 §12.2. */
  accept(change: OpenChange, block: Block, checked: BlockChecks): AppendResult {
    const parent = this.#checkParent(change.batch, change.tip, block);
    if (!parent.ok) return parent;
    return parent.value === "known" ? ok("known") : this.#accept(change, block, checked);
  }

  /** Accepts a child of the tip without checking the clock. Skips all header checks if `checked.header`. */
  acceptNext(change: OpenChange, block: Block, checked: BlockChecks): AppendResult {
    if (!bytesEqual(block.reference, change.tip.id))
      return failed(blockRefusal("Block is not a child of the last block", block));
    if (checked.header === true)
      return this.#unsupportedRefusal(change) ?? change.applyKeyBlock(block, checked);
    return this.#accept(change, block, checked, Number.MAX_SAFE_INTEGER);
  }

  /** Accepts a micro block, without checking checkpoints. Page 05 §23.2. @param arrivedAt local clock, ms */
  acceptMicroBlock(
    change: OpenChange,
    micro: MicroBlock,
    arrivedAt: number,
    checked: BlockChecks,
  ): AppendResult {
    const fault = this.microBlockFault(change.tip, micro);
    if (fault !== undefined) return failed(microRefusal(fault, micro));
    return change.applyMicroBlock(micro, arrivedAt, checked);
  }

  /** Predicts `accept` from an unverified header. Never rejects a block that `accept` accepts. */
  previewHeader(ledger: StoredLedgerView, reader: Reader, tip: Tip, header: BlockHeader): HeaderResult {
    const parent = this.#checkParent(reader, tip, header);
    if (!parent.ok || parent.value === "known") return parent;
    const { rules, clock, proofOfStake } = this.#dependencies;
    const generator = addressOf(header.generator, rules.chainId);
    const now = clock.now();
    const refusal =
      this.#checkpointRefusal(tip.height + 1, header) ??
      scriptRefusal(ledger, header, generator) ??
      (bytesEqual(header.reference, tip.id)
        ? proofOfStake.check(reader, ledger, header, generator, now)
        : this.#persistedStakeRefusal(reader, ledger, tip, header, generator, now));
    return refusal === undefined ? parent : failed(refusal);
  }

  /** See `Chain.removeAfter`. Never undoes the genesis block. Page 03 §13.4. */
  removeAfter(change: OpenChange, id: Uint8Array): AppendResult {
    const target = this.removalTarget(change, id);
    if (target === undefined) return ok("ignored");
    change.undoTo(target);
    change.persistTip();
    return ok("appended");
  }

  /** Returns the newest unit that `removeAfter` keeps; undefined if it removes nothing. */
  removalTarget({ tip, batch }: OpenChange, id: Uint8Array): UnitKey | undefined {
    if (tip.liquid && sequenceInTip(tip, id) !== undefined) return undefined;
    const height = batch.get(tables.blockIds, id)?.height ?? tip.persistedHeight;
    return height === tip.height || height === 0 ? undefined : { height, sequence: PERSIST_SEQUENCE };
  }

  /** Page 05 §23.2, checks 1 to 4. */
  microBlockFault(tip: Tip, micro: Pick<MicroBlock, "generator" | "reference">): string | undefined {
    if (!tip.liquid) return "No base block exists";
    const sender = addressOf(micro.generator, this.#dependencies.rules.chainId);
    if (!bytesEqual(sender, tip.keyBlock.generator))
      return "Base block has been generated by another account";
    if (bytesEqual(tip.id, micro.reference)) return undefined;
    return tip.microBlocks.length === 0
      ? "It's first micro and it doesn't reference base block(which exists)"
      : "It doesn't reference last known microBlock(which exists)";
  }

  /**
   * Checks rows 1 to 9 of page 03 §12.4. Undoes micro blocks after the parent.
   * @param now the clock, ms
   */
  checkHeader(change: OpenChange, block: Block, now?: number): Result<void, BlockRefusal> {
    const refusal = this.#headerRefusal(change, block, now);
    return refusal === undefined ? ok(undefined) : failed(refusal);
  }

  #headerRefusal(
    change: OpenChange,
    block: Block,
    now: number = this.#dependencies.clock.now(),
  ): BlockRefusal | undefined {
    const { tip, batch } = change;
    const { rules, proofOfStake } = this.#dependencies;
    const generator = addressOf(block.generator, rules.chainId);
    const earlyRefusal =
      this.#checkpointRefusal(tip.height + 1, block) ?? scriptRefusal(change.ledger, block, generator);
    if (earlyRefusal !== undefined) return earlyRefusal;
    // The exact stake is known only after undoing micro blocks. Check an upper bound first: a block without stake must
    // not undo them.
    const sequence = tip.liquid ? sequenceInTip(tip, block.reference) : undefined;
    if (sequence !== undefined && sequence < tip.sequence) {
      const refusal = this.#persistedStakeRefusal(batch, change.ledger, tip, block, generator, now);
      if (refusal !== undefined) return refusal;
      change.undoTo({ height: tip.height, sequence });
    }
    return proofOfStake.check(batch, change.ledger, block, generator, now);
  }

  /** Applies a block whose header was checked; undoes units that it replaces. Page 03 §12.5. */
  applyKeyBlock(change: OpenChange, block: Block, checked: BlockChecks): AppendResult {
    const { tip } = change;
    const refusal = this.#unsupportedRefusal(change);
    if (refusal !== undefined) return refusal;
    if (!tip.liquid) return applyToPersisted(change, block, checked);
    if (bytesEqual(block.reference, tip.keyBlock.reference))
      return this.#applyCompetitor(change, block, checked);
    return this.#applyToLiquid(change, block, checked);
  }

  #unsupportedRefusal({ tip, ledger }: OpenChange): AppendResult | undefined {
    const { rules, stopOnUnsupportedFeature } = this.#dependencies;
    const unsupported = unsupportedFeatures(ledger, rules, tip.persistedHeight);
    return unsupported.length > 0 && stopOnUnsupportedFeature
      ? failed({ ...genericRefusal(unimplementedFeatureText(unsupported)), isNodeFault: true })
      : undefined;
  }

  /** Page 03 §12.4. @param now the clock, ms */
  #accept(change: OpenChange, block: Block, checked: BlockChecks, now?: number): AppendResult {
    const header = this.checkHeader(change, block, now);
    return header.ok ? this.applyKeyBlock(change, block, checked) : header;
  }

  #checkParent(reader: Reader, tip: Tip, block: Block | BlockHeader): HeaderResult {
    if (sequenceInTip(tip, block.reference) !== undefined) return ok("fits");
    if (reader.get(tables.blockIds, block.signature) !== undefined) return ok("known");
    return failed(blockRefusal("Block is not a child of the last block", block));
  }

  #persistedStakeRefusal(
    reader: Reader,
    ledger: StoredLedgerView,
    { height, persistedHeight }: Tip,
    block: Block | BlockHeader,
    generator: Uint8Array,
    now: number,
  ): BlockRefusal | undefined {
    const max = persistedGeneratingBalance(ledger, generator, height, persistedHeight);
    return this.#dependencies.proofOfStake.check(reader, ledger, block, generator, now, max);
  }

  #checkpointRefusal(height: number, block: Block | BlockHeader): BlockRefusal | undefined {
    if (this.#dependencies.checkpoints.allows(height, block.signature)) return undefined;
    const text = `Block ${blockText(block)} at height ${height} is not valid w.r.t. checkpoint`;
    return blockRefusal(text, block);
  }

  /** Case B of page 03 §12.5. */
  #applyCompetitor(change: OpenChange, block: Block, checked: BlockChecks): AppendResult {
    const { keyBlock, height, transactionCount } = change.tip;
    const score = blockScore(block.baseTarget);
    const existingScore = blockScore(keyBlock.baseTarget);
    if (score <= existingScore) {
      const isSameBlock =
        bytesEqual(block.generator, keyBlock.generatorKey) &&
        block.baseTarget === keyBlock.baseTarget &&
        block.timestamp === keyBlock.timestamp;
      if (!isSameBlock) {
        const base = blockText(this.#baseBlock(change, height));
        const text = `Competitors liquid block ${blockText(block)}(score=${score}) is not better than existing (ng.base ${base}(score=${existingScore}))`;
        return failed(blockRefusal(text, block));
      }
      if (block.transactions.length <= transactionCount) return ok("ignored");
    }
    change.undoTo({ height: height - 1, sequence: PERSIST_SEQUENCE });
    change.persistTip();
    return change.applyKeyBlock(block, { ...checked, idsForgottenAt: keyBlock.timestamp });
  }

  /** Case C of page 03 §12.5. */
  #applyToLiquid(change: OpenChange, block: Block, checked: BlockChecks): AppendResult {
    const { tip } = change;
    const sequence = sequenceInTip(tip, block.reference);
    if (sequence === undefined)
      return failed(blockRefusal("References incorrect or non-existing block", block));
    // The key block's own signature was checked on arrival.
    if (sequence > 0 && !isTotalSigned(change, sequence)) {
      const base = blockText(this.#baseBlock(change, tip.height));
      const reference = encodeBase58(block.reference);
      const text = `Forged block has invalid signature: base: ${base}, requested reference: ${reference}`;
      return failed(blockRefusal(text, block));
    }
    change.undoTo({ height: tip.height, sequence });
    return change.applyKeyBlock(block, checked);
  }

  #baseBlock(change: OpenChange, height: number): Block {
    const base = readBlock(change.batch, height, this.#dependencies.profile, 0);
    if (base === undefined) throw new RangeError(`No block at height ${height}`);
    return base;
  }
}

/** Case A of page 03 §12.5. */
function applyToPersisted(change: OpenChange, block: Block, checked: BlockChecks): AppendResult {
  const { tip } = change;
  if (tip.height > 0 && !bytesEqual(tip.id, block.reference)) {
    const exists = change.batch.get(tables.blockIds, block.reference) !== undefined;
    const referenced = `The referenced block(${encodeBase58(block.reference)})`;
    // The misspelling "exits" is the protocol's.
    const reason = exists ? `${referenced} exits, it's not last persisted` : `${referenced} doesn't exist`;
    return failed(blockRefusal(`References incorrect or non-existing block: ${reason}`, block));
  }
  return change.applyKeyBlock(block, checked);
}

function scriptRefusal(
  ledger: StoredLedgerView,
  block: Block | BlockHeader,
  generator: Uint8Array,
): BlockRefusal | undefined {
  return isScripted(ledger, generator) ? scriptedRefusal(block, generator) : undefined;
}

function isTotalSigned({ batch, tip }: OpenChange, sequence: number): boolean {
  try {
    const total = storedBlockBytes(batch, tip.height, sequence);
    if (total === undefined)
      throw new RangeError(`There is no micro block ${sequence} at height ${tip.height}`);
    return isSerializedBlockSigned(total, tip.keyBlock.generatorKey);
  } catch (error) {
    if (error instanceof BlockStructureError) return false;
    throw error;
  }
}
