import { areBytesSigned, type Block, type BlockHeader } from "../../blocks/block.ts";
import { BlockStructureError } from "../../blocks/errors.ts";
import type { MicroBlock } from "../../blocks/micro-block.ts";
import { encodeBase58 } from "../../bytes/base58.ts";
import { bytesEqual } from "../../bytes/compare.ts";
import { blockScore, unimplementedText } from "../../consensus/index.ts";
import { addressOf } from "../../crypto/addresses.ts";
import type { Clock } from "../../interfaces.ts";
import { persistedGeneratingBalance } from "../../ledger/balances.ts";
import { isScripted } from "../../ledger/counts-as-scripted.ts";
import type { LedgerRules } from "../../ledger/era.ts";
import type { NetworkProfile } from "../../profiles/profile.ts";
import { PERSIST_SEQUENCE } from "../../storage/batch/write-batch.ts";
import type { Reader } from "../../storage/kv.ts";
import type { StoredLedgerView } from "../../storage/ledger/ledger-view.ts";
import type { UnitKey } from "../../storage/places.ts";
import { tables } from "../../storage/tables.ts";
import { readBlock, storedBlockBytes } from "../reading/rows.ts";
import { sequenceInTip, type Tip } from "../reading/tip.ts";
import type { Checked, Session } from "../writing/session.ts";
import { type AppendResult, accepted, outcomeOf, refused } from "./append-result.ts";
import {
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

export interface BlockRulesDependencies {
  readonly profile: NetworkProfile;
  readonly rules: LedgerRules;
  readonly clock: Clock;
  readonly checkpoints: CheckpointList;
  readonly proofOfStake: ProofOfStake;
  /** Refuse blocks once a feature is active that this version does not know. Page 03 §6.4. */
  readonly stopOnUnsupportedFeature: boolean;
}

/** Which blocks and micro blocks are taken, and what they replace. Page 03 §12 to §14, page 05 §23. */
export class BlockRules {
  private readonly rules: LedgerRules;
  private readonly checkpoints: CheckpointList;
  private readonly proofOfStake: ProofOfStake;

  constructor(private readonly dependencies: BlockRulesDependencies) {
    this.rules = dependencies.rules;
    this.checkpoints = dependencies.checkpoints;
    this.proofOfStake = dependencies.proofOfStake;
  }

  /** A single block from the network, or forged here. Page 03 §12.2. */
  accept(session: Session, block: Block, checked: Checked): AppendResult {
    const misfit = this.misfit(session.batch, session.tip, block);
    return misfit ?? this.append(session, block, checked);
  }

  /** What becomes of a single block that is no child of the tip. */
  private misfit(reader: Reader, tip: Tip, block: Block | BlockHeader): AppendResult | undefined {
    if (sequenceInTip(tip, block.reference) !== undefined) return undefined;
    if (reader.get(tables.blockIds, block.signature) !== undefined) return accepted("known");
    return refused(blockRefusal("Block is not a child of the last block", block));
  }

  /**
   * What `accept` says of a block whose header alone is known and whose signature is not checked: undefined when it has
   * to look at the rest. Nothing that it would take is refused.
   */
  preview(ledger: StoredLedgerView, reader: Reader, tip: Tip, header: BlockHeader): AppendResult | undefined {
    const misfit = this.misfit(reader, tip, header);
    if (misfit !== undefined) return misfit;
    const generator = addressOf(header.generator, this.rules.chainId);
    const now = this.dependencies.clock.now();
    const refusal =
      this.checkpointRefusal(tip.height + 1, header) ??
      this.scriptRefusal(ledger, header, generator) ??
      (bytesEqual(header.reference, tip.id)
        ? this.proofOfStake.check(reader, ledger, header, generator, now)
        : this.persistedStakeRefusal(reader, ledger, tip, header, generator, now));
    return refusal && refused(refusal);
  }

  /** A block of a file, which must be a child of the tip as it is. It is judged as those of peers, but for the clock. */
  appendNext(session: Session, block: Block, checked: Checked): AppendResult {
    if (!bytesEqual(block.reference, session.tip.id))
      return refused(blockRefusal("Block is not a child of the last block", block));
    return this.append(session, block, checked, Number.MAX_SAFE_INTEGER);
  }

  /** A micro block without the check against checkpoints. Page 05 §23.2. @param arrivedAt local clock, ms */
  appendMicroBlock(session: Session, micro: MicroBlock, arrivedAt: number, checked: Checked): AppendResult {
    const fault = this.microBlockFault(session.tip, micro);
    if (fault !== undefined) return refused(microRefusal(fault, micro));
    return outcomeOf(session.appendMicroBlock(micro, arrivedAt, checked));
  }

  /**
   * Undoes all blocks behind an id, and persists the one that is left. Page 03 §13.4: an id of the liquid block
   * changes nothing, an unknown one undoes the liquid block, but never the genesis block.
   */
  removeAfter(session: Session, id: Uint8Array): AppendResult {
    const target = this.removalTarget(session, id);
    if (target === undefined) return accepted("ignored");
    session.undoTo(target);
    session.persistTip();
    return accepted("appended");
  }

  /** Returns the last unit that stays when all blocks after an id are undone; undefined: nothing is undone. */
  removalTarget({ tip, batch }: Session, id: Uint8Array): UnitKey | undefined {
    if (tip.liquid && sequenceInTip(tip, id) !== undefined) return undefined;
    const height = batch.get(tables.blockIds, id)?.height ?? tip.persistedHeight;
    return height === tip.height || height === 0 ? undefined : { height, sequence: PERSIST_SEQUENCE };
  }

  /** Why a micro block does not belong to the liquid block as it is. Page 05 §23.2, checks 1 to 4. */
  microBlockFault(tip: Tip, micro: Pick<MicroBlock, "generator" | "reference">): string | undefined {
    if (!tip.liquid) return "No base block exists";
    const sender = addressOf(micro.generator, this.rules.chainId);
    if (!bytesEqual(sender, tip.keyBlock.generator))
      return "Base block has been generated by another account";
    if (bytesEqual(tip.id, micro.reference)) return undefined;
    return tip.microBlocks.length === 0
      ? "It's first micro and it doesn't reference base block(which exists)"
      : "It doesn't reference last known microBlock(which exists)";
  }

  /** Page 03 §12.4. @param now the clock, ms */
  append(session: Session, block: Block, checked: Checked, now?: number): AppendResult {
    const refusal = this.admit(session, block, now);
    return refusal === undefined ? this.process(session, block, checked) : refused(refusal);
  }

  /**
   * Whether a block may stand upon the one that it refers to, by its header: rows 1 to 9 of page 03 §12.4. The micro
   * blocks that it does not build upon are gone then.
   */
  admit(
    session: Session,
    block: Block,
    now: number = this.dependencies.clock.now(),
  ): BlockRefusal | undefined {
    const { tip } = session;
    const generator = addressOf(block.generator, this.rules.chainId);
    const early =
      this.checkpointRefusal(tip.height + 1, block) ?? this.scriptRefusal(session.ledger, block, generator);
    if (early !== undefined) return early;
    // The generator's balance counts as of the referenced micro block, so the later ones are undone first. The check of
    // an upper bound comes before that: a block without stake undoes nothing.
    const sequence = tip.liquid ? sequenceInTip(tip, block.reference) : undefined;
    if (sequence !== undefined && sequence < tip.sequence) {
      const unfit = this.persistedStakeRefusal(session.batch, session.ledger, tip, block, generator, now);
      if (unfit !== undefined) return unfit;
      session.undoTo({ height: tip.height, sequence });
    }
    return this.proofOfStake.check(session.batch, session.ledger, block, generator, now);
  }

  /**
   * Checks proof of stake with the generator's balance before the liquid block, an upper bound of its balance after any
   * part of the liquid block.
   */
  private persistedStakeRefusal(
    reader: Reader,
    ledger: StoredLedgerView,
    { height, persistedHeight }: Tip,
    block: Block | BlockHeader,
    generator: Uint8Array,
    now: number,
  ): BlockRefusal | undefined {
    const most = persistedGeneratingBalance(ledger, generator, height, persistedHeight);
    return this.proofOfStake.check(reader, ledger, block, generator, now, most);
  }

  private checkpointRefusal(height: number, block: Block | BlockHeader): BlockRefusal | undefined {
    if (this.checkpoints.allows(height, block.signature)) return undefined;
    const text = `Block ${blockText(block)} at height ${height} is not valid w.r.t. checkpoint`;
    return blockRefusal(text, block);
  }

  private scriptRefusal(
    ledger: StoredLedgerView,
    block: Block | BlockHeader,
    generator: Uint8Array,
  ): BlockRefusal | undefined {
    return isScripted(ledger, generator) ? scriptedRefusal(block, generator) : undefined;
  }

  /** Page 03 §12.5. */
  process(session: Session, block: Block, checked: Checked): AppendResult {
    const { tip, ledger } = session;
    const unsupported = unsupportedFeatures(ledger, this.rules, tip.persistedHeight);
    if (unsupported.length > 0 && this.dependencies.stopOnUnsupportedFeature)
      return refused({ ...genericRefusal(unimplementedText(unsupported)), isOurs: true });
    if (!tip.liquid) return this.appendToPersisted(session, block, checked);
    if (bytesEqual(block.reference, tip.keyBlock.reference)) return this.compete(session, block, checked);
    return this.appendToLiquid(session, block, checked);
  }

  /** Case A: there is no liquid block. */
  private appendToPersisted(session: Session, block: Block, checked: Checked): AppendResult {
    const { tip } = session;
    if (tip.height > 0 && !bytesEqual(tip.id, block.reference)) {
      const exists = session.batch.get(tables.blockIds, block.reference) !== undefined;
      const referenced = `The referenced block(${encodeBase58(block.reference)})`;
      // The protocol's spelling.
      const what = exists ? `${referenced} exits, it's not last persisted` : `${referenced} doesn't exist`;
      return refused(blockRefusal(`References incorrect or non-existing block: ${what}`, block));
    }
    return outcomeOf(session.appendKeyBlock(block, checked));
  }

  /** Case B: a competitor of the liquid block at its height. */
  private compete(session: Session, block: Block, checked: Checked): AppendResult {
    const { keyBlock, height, transactionCount } = session.tip;
    const score = blockScore(block.baseTarget);
    const existing = blockScore(keyBlock.baseTarget);
    const better = score > existing;
    if (!better) {
      const sameVersion =
        bytesEqual(block.generator, keyBlock.generatorKey) &&
        block.baseTarget === keyBlock.baseTarget &&
        block.timestamp === keyBlock.timestamp;
      if (!sameVersion) {
        const base = blockText(this.baseBlock(session, height));
        const text = `Competitors liquid block ${blockText(block)}(score=${score}) is not better than existing (ng.base ${base}(score=${existing}))`;
        return refused(blockRefusal(text, block));
      }
      if (block.transactions.length <= transactionCount) return accepted("ignored");
    }
    session.undoTo({ height: height - 1, sequence: PERSIST_SEQUENCE });
    // It is judged on the persisted state.
    session.persistTip();
    return outcomeOf(session.appendKeyBlock(block, { ...checked, idsForgottenAt: keyBlock.timestamp }));
  }

  /** Case C: a child of the liquid block, or of one of its micro blocks. */
  private appendToLiquid(session: Session, block: Block, checked: Checked): AppendResult {
    const { tip } = session;
    const sequence = sequenceInTip(tip, block.reference);
    if (sequence === undefined)
      return refused(blockRefusal("References incorrect or non-existing block", block));
    // The signature of the key block itself was checked when it came.
    if (sequence > 0 && !this.isTotalSigned(session, sequence)) {
      const base = blockText(this.baseBlock(session, tip.height));
      const reference = encodeBase58(block.reference);
      const text = `Forged block has invalid signature: base: ${base}, requested reference: ${reference}`;
      return refused(blockRefusal(text, block));
    }
    session.undoTo({ height: tip.height, sequence });
    return outcomeOf(session.appendKeyBlock(block, checked));
  }

  /** The key block at a height of the chain without its micro blocks. */
  private baseBlock(session: Session, height: number): Block {
    const base = readBlock(session.batch, height, this.dependencies.profile, 0);
    if (base === undefined) throw new RangeError(`There is no block at height ${height}`);
    return base;
  }

  /** Whether the generator signed the liquid block as it was at a micro block. */
  private isTotalSigned({ batch, tip }: Session, sequence: number): boolean {
    try {
      const total = storedBlockBytes(batch, tip.height, sequence);
      if (total === undefined)
        throw new RangeError(`There is no micro block ${sequence} at height ${tip.height}`);
      return areBytesSigned(total, tip.keyBlock.generatorKey);
    } catch (error) {
      // More transactions than a block of version 1 or 2 can count: there is no such block to be signed.
      if (error instanceof BlockStructureError) return false;
      throw error;
    }
  }
}
