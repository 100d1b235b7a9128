import { type Block, isBlockSigned } from "../../blocks/block.ts";
import { isMicroBlockSigned, type MicroBlock } from "../../blocks/micro-block.ts";
import { blockScore } from "../../consensus/index.ts";
import { addressOf } from "../../crypto/addresses.ts";
import { type IndexedBlock, runToEnd } from "../../indexes/chain-index.ts";
import type { AppliedUnit, LeavingUnit } from "../../interfaces.ts";
import { type AppliedTransaction, appendKeyBlock, appendMicroBlock } from "../../ledger/block.ts";
import type { LedgerRules } from "../../ledger/era.ts";
import { persistBlock } from "../../ledger/persist.ts";
import { Refusal, refusalMessage } from "../../ledger/refusal.ts";
import type { Verdicts } from "../../ledger/verdicts.ts";
import { JournalPrunedError, PERSIST_SEQUENCE, type WriteBatch } from "../../storage/batch/write-batch.ts";
import { StoredLedger } from "../../storage/ledger/ledger-state.ts";
import type { RecentIds } from "../../storage/ledger/recent-ids.ts";
import { isAfter, type UnitKey } from "../../storage/places.ts";
import { tables } from "../../storage/tables.ts";
import { transactionId } from "../../transactions/index.ts";
import {
  type BlockRefusal,
  blockText,
  genericRefusal,
  microBlockText,
  signatureRefusal,
  transactionRefusal,
} from "../deciding/block-refusal.ts";
import { leavingUnit, newestUnit } from "../reading/changes.ts";
import { forgetLiquidIds, headerRow, writeKeyBlock, writeMicroBlock } from "../reading/rows.ts";
import { unitAt } from "../reading/stored-units.ts";
import { readTip, type Tip, withMicroBlock } from "../reading/tip.ts";
import type { ChainChange } from "./change.ts";
import type { Indexing } from "./indexing.ts";
import { RevertedLog } from "./reverted-log.ts";

/** What every change of the chain needs. */
export interface SessionDependencies {
  readonly chainId: number;
  readonly payment: boolean;
  readonly rules: LedgerRules;
  readonly indexing: Indexing;
  /** Ids of the newest blocks; without them every id of the chain is looked up. */
  readonly recent?: RecentIds | undefined;
}

export interface SessionOptions {
  /** The best block that is stored, where it is known. */
  readonly tip?: Tip | undefined;
  /** Whether `changes` is to be filled: somebody listens. */
  readonly gathers?: boolean | undefined;
  /** Whether all reverted units are kept: a switch of several commits restores our chain from them. */
  readonly keepsReverted?: boolean | undefined;
}

/** What is known of a block before it is applied. */
export interface Checked {
  /** The signature of the block or micro block was found valid already. */
  readonly signature?: boolean | undefined;
  /** Results of the checks of transaction proofs, made ahead; by default those that are remembered. */
  readonly verdicts?: Verdicts | undefined;
  /** Of a competitor of the liquid block: page 05 §10.7. */
  readonly idsForgottenAt?: bigint | undefined;
}

/**
 * Changes of the chain that become one commit, or none at all. It knows how a unit is written with everything
 * that belongs to it, and how units are undone; which blocks are taken is decided elsewhere.
 */
export class Session {
  private known: Tip | undefined;
  private state: StoredLedger | undefined;
  /** Units appended here that are still there. */
  private appended = 0;
  private readonly reverted: LeavingUnit[] = [];
  private readonly committed: AppliedUnit[] = [];
  private readonly revertedLog: RevertedLog;
  private readonly gathers: boolean;
  /** The remaining work of the indexes on the newest unit, which stays open until it is done. */
  private unfinished: Generator<void, void> | undefined;

  constructor(
    readonly batch: WriteBatch,
    private readonly dependencies: SessionDependencies,
    options: SessionOptions = {},
  ) {
    this.known = options.tip;
    this.gathers = options.gathers ?? false;
    this.revertedLog = new RevertedLog(batch, options.keepsReverted);
  }

  /** What was done so far. Units that were appended here and undone again are not part of it. */
  get changes(): Pick<ChainChange, "reverted" | "committed"> {
    return { reverted: this.reverted, committed: this.committed };
  }

  /** The best block, the changes of this session included. */
  get tip(): Tip {
    this.known ??= readTip(this.batch, this.dependencies.chainId);
    return this.known;
  }

  /** The state of the tip, the changes of this session included. */
  get ledger(): StoredLedger {
    this.state ??= new StoredLedger(this.batch, this.dependencies.recent);
    return this.state;
  }

  /** Whether an index has more work on the newest unit than one step. */
  get isUnfinished(): boolean {
    return this.unfinished !== undefined;
  }

  /**
   * Finishes the newest unit in steps of a few milliseconds. The caller may pause between two steps, and must not use the
   * session meanwhile. A caller that does not call this need not care: the next change of the session finishes the unit
   * first. If a step throws, or not all steps are run, the session can only be abandoned.
   */
  *finishing(): Generator<void, void> {
    const { unfinished } = this;
    if (unfinished === undefined) return;
    yield* unfinished;
    this.unfinished = undefined;
    this.endUnit();
  }

  /** Finishes the newest unit without a pause. */
  finish(): void {
    runToEnd(this.finishing());
  }

  /**
   * Writes a key block as the child of the tip, and does for the parent what the protocol does once a block is
   * persisted, if that is still to do. On a refusal everything is as before.
   */
  appendKeyBlock(block: Block, checked: Checked = {}): BlockRefusal | undefined {
    if (checked.signature !== true && !isBlockSigned(block)) return signatureRefusal(blockText(block));
    this.finish();
    const { chainId, rules } = this.dependencies;
    const { batch, ledger } = this;
    const parent = this.tip;
    const height = parent.height + 1;
    const generator = addressOf(block.generator, chainId);
    return this.unit({ height, sequence: 0 }, block.signature, () => {
      const applied = appendKeyBlock(
        ledger,
        {
          timestamp: block.timestamp,
          generator,
          features: block.features,
          feeVote: block.feeVote,
          transactions: block.transactions,
        },
        rules,
        { verdicts: checked.verdicts, idsForgottenAt: checked.idsForgottenAt },
      );
      if (applied instanceof Refusal) return applied;
      ledger.flush();
      writeKeyBlock(batch, height, block, chainId);
      batch.put(tables.score, height, parent.score + blockScore(block.baseTarget));
      this.record({ height, timestamp: block.timestamp, generator }, 0, block.signature, applied);
      // `appendKeyBlock` has persisted the parent in the ledger.
      if (parent.liquid) forgetLiquidIds(batch, parent.height);
      return undefined;
    });
  }

  /** Writes a micro block upon the liquid block. On a refusal everything is as before. */
  appendMicroBlock(micro: MicroBlock, arrivedAt: number, checked: Checked = {}): BlockRefusal | undefined {
    if (checked.signature !== true && !isMicroBlockSigned(micro))
      return signatureRefusal(microBlockText(micro));
    this.finish();
    const { rules } = this.dependencies;
    const { batch, ledger, tip } = this;
    const { height, keyBlock, transactionCount } = tip;
    const sequence = (tip.microBlocks.at(-1)?.sequence ?? 0) + 1;
    const refusal = this.unit({ height, sequence }, micro.totalSignature, () => {
      const options = { verdicts: checked.verdicts, firstPosition: transactionCount };
      const applied = appendMicroBlock(ledger, micro.transactions, rules, options);
      if (applied instanceof Refusal) return applied;
      ledger.flush(sequence);
      writeMicroBlock(batch, height, sequence, micro, arrivedAt);
      const { timestamp, generator } = keyBlock;
      this.record({ height, timestamp, generator }, sequence, micro.totalSignature, applied);
      return undefined;
    });
    if (refusal === undefined) {
      const added = { sequence, id: micro.totalSignature, arrivedAt };
      this.known = withMicroBlock(tip, added, micro.transactions.length);
    }
    return refusal;
  }

  /** Persists a liquid tip without a child: after a rollback and after an import. Page 05 §23.8. */
  persistTip(): void {
    this.finish();
    const { tip, batch, ledger } = this;
    if (!tip.liquid) return;
    batch.beginUnit({ height: tip.height, sequence: PERSIST_SEQUENCE });
    persistBlock(ledger, this.dependencies.rules);
    ledger.flush(PERSIST_SEQUENCE);
    forgetLiquidIds(batch, tip.height);
    this.endUnit();
  }

  /**
   * Undoes units, newest first, until the given one is the newest.
   * @throws JournalPrunedError when the journal does not reach back so far
   */
  undoTo(target: UnitKey): void {
    for (const _ of this.undoing(target));
  }

  /** The same in steps: it pauses behind each unit, where the chain is one that ends earlier. */
  *undoing(target: UnitKey): Generator<void, void> {
    this.finish();
    const { batch } = this;
    while (isAfter(this.lastUnit, target)) {
      const last = batch.lastUnit;
      if (last === undefined || !isAfter(last, target)) throw new JournalPrunedError(this.lastUnit);
      if (last.sequence === PERSIST_SEQUENCE) this.undo(last);
      else this.revert(last);
      this.forget();
      yield;
    }
  }

  /** Undoes a key block or micro block. One that was there before the session is remembered for a while. */
  private revert(key: UnitKey): void {
    const { batch } = this;
    if (this.appended > 0) {
      this.appended--;
      this.committed.pop();
      this.undo(key);
      return;
    }
    const unit = unitAt(batch, this.dependencies, key);
    if (unit === undefined)
      throw new RangeError(`There is no unit ${key.height}/${key.sequence} to be undone`);
    const row = {
      ...key,
      header: headerRow(batch, key.height),
      micro: unit.micro,
      body: batch.get(tables.bodies, key),
      fees: batch.get(tables.effectiveFees, key),
      recorded: batch.get(tables.recorded, { height: key.height, position: unit.firstPosition }),
    };
    if (this.gathers) this.reverted.push(leavingUnit(unit.id, row, this.dependencies));
    this.undo(key);
    this.revertedLog.enter(unit.id, { ...row, parent: newestUnit(batch) });
  }

  private undo(key: UnitKey): void {
    const { indexing } = this.dependencies;
    this.batch.undoUnit(key, (table) => indexing.restores(table, key));
  }

  /** To be called when others had a turn of the event loop: what they asked for may have driven ids out of memory. */
  resume(): void {
    this.state = undefined;
  }

  /** The newest unit: a persisted tip counts as one behind its micro blocks when it was persisted by itself. */
  get lastUnit(): UnitKey {
    this.finish();
    const last = this.batch.lastUnit;
    const tip = this.batch.get(tables.tip, undefined);
    if (tip === undefined) return { height: 0, sequence: 0 };
    return last !== undefined && isAfter(last, tip) ? last : tip;
  }

  /** @param id of the block as it will stand with the unit */
  private unit(key: UnitKey, id: Uint8Array, work: () => Refusal | undefined): BlockRefusal | undefined {
    this.batch.beginUnit(key);
    const refused = work();
    if (refused === undefined) {
      this.dependencies.recent?.hold(id);
      if (!this.isUnfinished) this.endUnit();
      return undefined;
    }
    this.batch.abandonUnit();
    this.forget();
    if (refused.transaction === undefined) return genericRefusal(refusalMessage(refused));
    return transactionRefusal(refused, transactionId(refused.transaction));
  }

  private endUnit(): void {
    this.batch.endUnit();
    this.known = undefined;
  }

  private forget(): void {
    this.known = undefined;
    this.state = undefined;
  }

  /** Fees and index entries of a unit, and the unit itself for those who listen. */
  private record(
    block: IndexedBlock,
    sequence: number,
    id: Uint8Array,
    applied: readonly AppliedTransaction[],
  ): void {
    const { batch } = this;
    const { height } = block;
    if (applied.length > 0) {
      const fees = new BigInt64Array(applied.length);
      for (let i = 0; i < fees.length; i++) fees[i] = applied[i].effectiveFee;
      batch.insert(tables.effectiveFees, { height, sequence }, fees);
    }
    const unit = { ...block, sequence, transactions: applied };
    const indexing = this.dependencies.indexing.apply(batch, unit);
    if (indexing.next().done !== true) this.unfinished = indexing;
    this.appended++;
    if (this.gathers) this.committed.push({ ...block, sequence, id, transactions: applied });
  }
}
