import { type Block, isBlockSigned } from "../../blocks/block.ts";
import { isMicroBlockSigned, type MicroBlock } from "../../blocks/micro-block.ts";
import { blockScore } from "../../consensus/proof-of-stake.ts";
import { addressOf } from "../../crypto/addresses.ts";
import { failed, ok } from "../../errors/result.ts";
import { runToEnd, type UnitContext } from "../../indexes/chain-index.ts";
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
  type AppendResult,
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
import type { ChangeListener } from "./change.ts";
import type { Indexing } from "./indexing.ts";
import { RevertedLog } from "./reverted-log.ts";
import { removeSwitchRow, type UnfinishedSwitch, writeSwitchRow } from "./switch-row.ts";

/** What every change of the chain needs. */
export interface ChangeDependencies {
  readonly chainId: number;
  readonly payment: boolean;
  readonly rules: LedgerRules;
  readonly indexing: Indexing;
  /** Ids of the newest blocks; without them every id of the chain is looked up. */
  readonly recent?: RecentIds | undefined;
}

export interface ChangeOptions {
  /** The best block that is stored, where it is known. */
  readonly tip?: Tip | undefined;
  /** Who is told of the change. Without listeners `reverted` and `committed` stay empty. */
  readonly audience?: readonly ChangeListener[] | undefined;
  /** Whether the store has the row of an unfinished switch. */
  readonly hasSwitchRow?: boolean | undefined;
  /** Whether it continues a switch of several commits: the row stays, and so do all reverted units. */
  readonly continuesSwitch?: boolean | undefined;
}

/** What is known of a block before it is applied. */
export interface BlockChecks {
  /** The signature of the block or micro block was found valid already. */
  readonly signature?: boolean | undefined;
  /** Results of the checks of transaction proofs, made ahead; by default those that are remembered. */
  readonly verdicts?: Verdicts | undefined;
  /** Of a competitor of the liquid block: page 05 §10.7. */
  readonly idsForgottenAt?: bigint | undefined;
}

/**
 * A change of the chain before its commit: units are applied and undone in one write batch, which becomes one commit
 * (`ChainWriter.commit`) or none. It knows how a unit is written with everything that belongs to it, and how units are
 * undone. `deciding/` decides which units are taken.
 */
export class OpenChange {
  readonly batch: WriteBatch;
  readonly audience: readonly ChangeListener[];
  /** What was done so far. Units that were applied here and undone again are not part of it. */
  readonly reverted: LeavingUnit[] = [];
  readonly committed: AppliedUnit[] = [];
  readonly #dependencies: ChangeDependencies;
  readonly #revertedLog: RevertedLog;
  #tip: Tip | undefined;
  #ledger: StoredLedger | undefined;
  /** Units applied here that are still there. */
  #appliedCount = 0;
  /** The remaining work of the indexes on the newest unit, which stays open until it is done. */
  #indexWork: Generator<void, void> | undefined;
  #hasSwitchRow: boolean;

  constructor(batch: WriteBatch, dependencies: ChangeDependencies, options: ChangeOptions = {}) {
    this.batch = batch;
    this.#dependencies = dependencies;
    this.#tip = options.tip;
    this.audience = options.audience ?? [];
    this.#revertedLog = new RevertedLog(batch, options.continuesSwitch);
    this.#hasSwitchRow = options.hasSwitchRow ?? false;
    // The chain goes on otherwise: the way back is void, and would count again if the chain came back to the same unit.
    if (options.continuesSwitch !== true) this.removeSwitchRow();
  }

  /** The best block, this change included. */
  get tip(): Tip {
    this.#tip ??= readTip(this.batch, this.#dependencies.chainId);
    return this.#tip;
  }

  /** The state of the tip, this change included. */
  get ledger(): StoredLedger {
    this.#ledger ??= new StoredLedger(this.batch, this.#dependencies.recent);
    return this.#ledger;
  }

  /** The newest unit: a persisted tip counts as one behind its micro blocks when it was persisted by itself. */
  get lastUnit(): UnitKey {
    this.finish();
    const last = this.batch.lastUnit;
    const tip = this.batch.get(tables.tip, undefined);
    if (tip === undefined) return { height: 0, sequence: 0 };
    return last !== undefined && isAfter(last, tip) ? last : tip;
  }

  /** Whether the store will have the row of an unfinished switch after the commit. */
  get hasSwitchRow(): boolean {
    return this.#hasSwitchRow;
  }

  /** Records how to come back from a switch of several commits: valid for the chain that this commit leaves. */
  writeSwitchRow(unfinished: UnfinishedSwitch): void {
    writeSwitchRow(this.batch, unfinished);
    this.#hasSwitchRow = true;
  }

  /** Removes that record: the switch has ended, or was taken back. */
  removeSwitchRow(): void {
    if (this.#hasSwitchRow) removeSwitchRow(this.batch);
    this.#hasSwitchRow = false;
  }

  /** Whether an index has more work on the newest unit than one step. */
  get isUnfinished(): boolean {
    return this.#indexWork !== undefined;
  }

  /**
   * Finishes the newest unit in steps of a few milliseconds. The caller may pause between two steps, and must not use the
   * change meanwhile. A caller that does not call this need not care: the next unit finishes the one before. If a step
   * throws, or not all steps are run, the change can only be abandoned.
   */
  *finishing(): Generator<void, void> {
    const work = this.#indexWork;
    if (work === undefined) return;
    yield* work;
    this.#indexWork = undefined;
    this.#endUnit();
  }

  /** Finishes the newest unit without a pause. */
  finish(): void {
    runToEnd(this.finishing());
  }

  /**
   * Applies a key block as the child of the tip, and does for the parent what the protocol does once a block is
   * persisted, if that is still to do. On a refusal everything is as before.
   */
  applyKeyBlock(block: Block, checked: BlockChecks = {}): AppendResult {
    if (checked.signature !== true && !isBlockSigned(block))
      return failed(signatureRefusal(blockText(block)));
    this.finish();
    const { chainId, rules } = this.#dependencies;
    const { batch, ledger, tip: parent } = this;
    const height = parent.height + 1;
    const generator = addressOf(block.generator, chainId);
    const { timestamp, features, feeVote, transactions } = block;
    return this.#applyUnit({ height, sequence: 0 }, block.signature, () => {
      const { verdicts, idsForgottenAt } = checked;
      const fields = { timestamp, generator, features, feeVote, transactions };
      const applied = appendKeyBlock(ledger, fields, rules, { verdicts, idsForgottenAt });
      if (applied instanceof Refusal) return applied;
      ledger.flush();
      writeKeyBlock(batch, height, block, chainId);
      batch.put(tables.score, height, parent.score + blockScore(block.baseTarget));
      this.#record({ height, timestamp, generator }, 0, block.signature, applied);
      // `appendKeyBlock` has persisted the parent in the ledger.
      if (parent.liquid) forgetLiquidIds(batch, parent.height);
      return undefined;
    });
  }

  /** Applies a micro block to the liquid block. On a refusal everything is as before. */
  applyMicroBlock(micro: MicroBlock, arrivedAt: number, checked: BlockChecks = {}): AppendResult {
    if (checked.signature !== true && !isMicroBlockSigned(micro))
      return failed(signatureRefusal(microBlockText(micro)));
    this.finish();
    const { batch, ledger, tip } = this;
    const { height, keyBlock, transactionCount } = tip;
    const { timestamp, generator } = keyBlock;
    const sequence = (tip.microBlocks.at(-1)?.sequence ?? 0) + 1;
    const result = this.#applyUnit({ height, sequence }, micro.totalSignature, () => {
      const options = { verdicts: checked.verdicts, firstPosition: transactionCount };
      const applied = appendMicroBlock(ledger, micro.transactions, this.#dependencies.rules, options);
      if (applied instanceof Refusal) return applied;
      ledger.flush(sequence);
      writeMicroBlock(batch, height, sequence, micro, arrivedAt);
      this.#record({ height, timestamp, generator }, sequence, micro.totalSignature, applied);
      return undefined;
    });
    if (result.ok) {
      const added = { sequence, id: micro.totalSignature, arrivedAt };
      this.#tip = withMicroBlock(tip, added, micro.transactions.length);
    }
    return result;
  }

  /** Persists a liquid tip without a child: after a rollback and after an import. Page 05 §23.8. */
  persistTip(): void {
    this.finish();
    const { tip, batch, ledger } = this;
    if (!tip.liquid) return;
    batch.beginUnit({ height: tip.height, sequence: PERSIST_SEQUENCE });
    persistBlock(ledger, this.#dependencies.rules);
    ledger.flush(PERSIST_SEQUENCE);
    forgetLiquidIds(batch, tip.height);
    this.#endUnit();
  }

  /**
   * Undoes units, newest first, until the given one is the newest.
   * @throws JournalPrunedError when the journal does not reach back so far
   */
  undoTo(target: UnitKey): void {
    while (isAfter(this.lastUnit, target)) this.undoLast(target);
  }

  /**
   * Undoes the newest unit.
   * @param target the newest one that is to stay
   * @throws JournalPrunedError when the journal does not reach back so far
   */
  undoLast(target: UnitKey): void {
    this.finish();
    const last = this.batch.lastUnit;
    if (last === undefined || !isAfter(last, target)) throw new JournalPrunedError(this.lastUnit);
    if (last.sequence === PERSIST_SEQUENCE) this.#undo(last);
    else this.#revert(last);
    this.#forget();
  }

  /** Undoes a key block or micro block. One that was there before the change is remembered for a while. */
  #revert(key: UnitKey): void {
    const { batch } = this;
    if (this.#appliedCount > 0) {
      this.#appliedCount--;
      this.committed.pop();
      this.#undo(key);
      return;
    }
    const unit = unitAt(batch, this.#dependencies, key);
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
    if (this.audience.length > 0) this.reverted.push(leavingUnit(unit.id, row, this.#dependencies));
    this.#undo(key);
    this.#revertedLog.append(unit.id, { ...row, parent: newestUnit(batch) });
  }

  #undo(key: UnitKey): void {
    const { indexing } = this.#dependencies;
    this.batch.undoUnit(key, (table) => indexing.restores(table, key));
  }

  /** To be called when others had a turn of the event loop: what they asked for may have driven ids out of memory. */
  resume(): void {
    this.#ledger = undefined;
  }

  /** @param id of the block as it will stand with the unit */
  #applyUnit(key: UnitKey, id: Uint8Array, work: () => Refusal | undefined): AppendResult {
    this.batch.beginUnit(key);
    const refusal = work();
    if (refusal === undefined) {
      this.#dependencies.recent?.addUnit(id);
      if (!this.isUnfinished) this.#endUnit();
      return ok("appended");
    }
    this.batch.abandonUnit();
    this.#forget();
    const { transaction } = refusal;
    return failed(
      transaction === undefined
        ? genericRefusal(refusalMessage(refusal))
        : transactionRefusal(refusal, transactionId(transaction)),
    );
  }

  #endUnit(): void {
    this.batch.endUnit();
    this.#tip = undefined;
  }

  #forget(): void {
    this.#tip = undefined;
    this.#ledger = undefined;
  }

  /** Fees and index entries of a unit, and the unit itself for those who listen. */
  #record(
    block: Omit<UnitContext, "sequence" | "transactions">,
    sequence: number,
    id: Uint8Array,
    transactions: readonly AppliedTransaction[],
  ): void {
    const { batch } = this;
    if (transactions.length > 0) {
      const fees = BigInt64Array.from(transactions, ({ effectiveFee }) => effectiveFee);
      batch.insert(tables.effectiveFees, { height: block.height, sequence }, fees);
    }
    const work = this.#dependencies.indexing.apply(batch, { ...block, sequence, transactions });
    if (work.next().done !== true) this.#indexWork = work;
    this.#appliedCount++;
    if (this.audience.length > 0) this.committed.push({ ...block, sequence, id, transactions });
  }
}
