import { type Block, isBlockSigned } from "../../blocks/block.ts";
import { isMicroBlockSigned, type MicroBlock } from "../../blocks/micro-block.ts";
import { blockScore } from "../../consensus/proof-of-stake.ts";
import { addressOf } from "../../crypto/addresses.ts";
import { failed, ok } from "../../errors/result.ts";
import { runToEnd, type UnitInCommit } from "../../indexes/chain-index.ts";
import type { CommittedUnit, LeavingUnit } from "../../interfaces.ts";
import { type AppliedTransaction, appendKeyBlock, appendMicroBlock } from "../../ledger/block.ts";
import type { LedgerRules } from "../../ledger/era.ts";
import { persistBlock } from "../../ledger/persist.ts";
import { Refusal, refusalMessage } from "../../ledger/refusal.ts";
import { assumedValid, type Verdicts } from "../../ledger/verdicts.ts";
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
import { type AssumedBlock, addUncheckedHeight } from "../reading/unchecked.ts";
import type { ChangeListener } from "./change.ts";
import { CommittedUnits } from "./committed-units.ts";
import type { Indexing } from "./indexing.ts";
import { RevertedLog } from "./reverted-log.ts";
import { removeSwitchRow, type UnfinishedSwitch, writeSwitchRow } from "./switch-row.ts";

export interface ChangeDependencies {
  readonly chainId: number;
  readonly payment: boolean;
  readonly rules: LedgerRules;
  readonly indexing: Indexing;
  readonly recent?: RecentIds | undefined;
}

export interface ChangeOptions {
  readonly tip?: Tip | undefined;
  /** Without listeners, `reverted` and `committed` stay empty. */
  readonly listeners?: readonly ChangeListener[] | undefined;
  readonly hasSwitchRow?: boolean | undefined;
  /** True for a switch's second and later commits, which keep the switch row and all reverted units. */
  readonly continuesSwitch?: boolean | undefined;
}

/** Checks that the caller has made. */
export interface BlockChecks {
  /** True if the block's own signature is valid. */
  readonly signature?: boolean | undefined;
  /** True if proof of stake and checkpoints need no check, because a trusted chain has the block. */
  readonly header?: boolean | undefined;
  /** Results for proofs and scripts. Default: `verifyProofOnce`. */
  readonly verdicts?: Verdicts | undefined;
  /** Set if `verdicts` is `assumedValid` and a peer sent this block. */
  readonly assumed?: AssumedBlock | undefined;
  /** Timestamp of the liquid block that this block replaces; decides which ids are known. Page 05 §10.7. */
  readonly idsForgottenAt?: bigint | undefined;
}

/** Applies and undoes units in one write batch. */
export class OpenChange {
  readonly batch: WriteBatch;
  readonly listeners: readonly ChangeListener[];
  /** Newest first. */
  readonly reverted: LeavingUnit[] = [];
  readonly #committed: CommittedUnits;
  readonly #dependencies: ChangeDependencies;
  readonly #revertedLog: RevertedLog;
  #tip: Tip | undefined;
  #ledger: StoredLedger | undefined;
  #appliedCount = 0;
  #indexWork: Generator<void, void> | undefined;
  #hasSwitchRow: boolean;

  constructor(batch: WriteBatch, dependencies: ChangeDependencies, options: ChangeOptions = {}) {
    this.batch = batch;
    this.#dependencies = dependencies;
    this.#tip = options.tip;
    this.listeners = options.listeners ?? [];
    this.#committed = new CommittedUnits(batch, dependencies);
    this.#revertedLog = new RevertedLog(batch, options.continuesSwitch);
    this.#hasSwitchRow = options.hasSwitchRow ?? false;
    // A leftover row becomes valid again if the chain returns to the same tip.
    if (options.continuesSwitch !== true) this.removeSwitchRow();
  }

  /** Oldest first, without units undone by this change. */
  get committed(): readonly CommittedUnit[] {
    return this.#committed.list;
  }

  get tip(): Tip {
    this.#tip ??= readTip(this.batch, this.#dependencies.chainId);
    return this.#tip;
  }

  get ledger(): StoredLedger {
    this.#ledger ??= new StoredLedger(this.batch, this.#dependencies.recent);
    return this.#ledger;
  }

  /** The newest unit, which may be a persist unit. */
  get lastUnit(): UnitKey {
    this.finish();
    const last = this.batch.lastUnit;
    const tip = this.batch.get(tables.tip, undefined);
    if (tip === undefined) return { height: 0, sequence: 0 };
    return last !== undefined && isAfter(last, tip) ? last : tip;
  }

  get hasSwitchRow(): boolean {
    return this.#hasSwitchRow;
  }

  writeSwitchRow(unfinished: UnfinishedSwitch): void {
    writeSwitchRow(this.batch, unfinished);
    this.#hasSwitchRow = true;
  }

  removeSwitchRow(): void {
    if (this.#hasSwitchRow) removeSwitchRow(this.batch);
    this.#hasSwitchRow = false;
  }

  /** True if an index lacks part of the newest unit. */
  get isUnfinished(): boolean {
    return this.#indexWork !== undefined;
  }

  /**
   * Finishes the newest unit in steps of a few milliseconds. Between steps, the caller may pause but must not use the
   * change. After an error or an early end, the caller must abandon the change.
   */
  *finishing(): Generator<void, void> {
    const work = this.#indexWork;
    if (work === undefined) return;
    yield* work;
    this.#indexWork = undefined;
    this.#endUnit();
  }

  finish(): void {
    runToEnd(this.finishing());
  }

  /** Applies a key block, and persists a liquid parent. A rejected block changes nothing. */
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
      batch.insert(tables.score, height, parent.score + blockScore(block.baseTarget));
      this.#record({ height, timestamp, generator }, 0, block.signature, applied);
      if (parent.microBlocks.length > 0) forgetLiquidIds(batch, parent.height);
      if (verdicts === assumedValid) addUncheckedHeight(batch, height, checked.assumed);
      return undefined;
    });
  }

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

  /** Persists a liquid tip without a child. Page 05 §23.8. */
  persistTip(): void {
    this.finish();
    const { tip, batch, ledger } = this;
    if (!tip.liquid) return;
    batch.beginUnit({ height: tip.height, sequence: PERSIST_SEQUENCE });
    persistBlock(ledger, this.#dependencies.rules);
    ledger.flush(PERSIST_SEQUENCE);
    if (tip.microBlocks.length > 0) forgetLiquidIds(batch, tip.height);
    this.#endUnit();
  }

  /** @throws JournalPrunedError */
  undoTo(target: UnitKey): void {
    while (isAfter(this.lastUnit, target)) this.undoLast(target);
  }

  /**
   * @param target the newest unit to keep
   * @throws JournalPrunedError
   */
  undoLast(target: UnitKey): void {
    this.finish();
    const last = this.batch.lastUnit;
    if (last === undefined || !isAfter(last, target)) throw new JournalPrunedError(this.lastUnit);
    if (last.sequence === PERSIST_SEQUENCE) this.#undo(last);
    else this.#revert(last);
    this.#resetCaches();
  }

  #revert(key: UnitKey): void {
    const { batch } = this;
    if (this.#appliedCount > 0) {
      this.#appliedCount--;
      this.#committed.pop();
      this.#undo(key);
      return;
    }
    const unit = unitAt(batch, this.#dependencies, key);
    if (unit === undefined) throw new RangeError(`No unit ${key.height}/${key.sequence} to undo`);
    const row = {
      ...key,
      header: headerRow(batch, key.height),
      micro: unit.micro,
      body: batch.get(tables.bodies, key),
      fees: batch.get(tables.effectiveFees, key),
      recorded: batch.get(tables.recorded, { height: key.height, position: unit.firstPosition }),
    };
    if (this.listeners.length > 0) this.reverted.push(leavingUnit(unit.id, row, this.#dependencies));
    this.#undo(key);
    this.#revertedLog.append(unit.id, { ...row, parent: newestUnit(batch) });
  }

  #undo(key: UnitKey): void {
    const { indexing } = this.#dependencies;
    this.batch.undoUnit(key, (table) => indexing.restoresTable(table, key));
  }

  /** Call this after a pause: other code may have evicted ids from the cache. */
  resume(): void {
    this.#ledger = undefined;
  }

  #applyUnit(key: UnitKey, id: Uint8Array, work: () => Refusal | undefined): AppendResult {
    this.batch.beginUnit(key);
    const refusal = work();
    if (refusal === undefined) {
      this.#dependencies.recent?.addUnit(id);
      this.#tip = undefined;
      if (!this.isUnfinished) this.#endUnit();
      return ok("appended");
    }
    this.batch.abandonUnit();
    this.#resetCaches();
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

  #resetCaches(): void {
    this.#tip = undefined;
    this.#ledger = undefined;
  }

  #record(
    block: Omit<UnitInCommit, "sequence" | "transactions">,
    sequence: number,
    id: Uint8Array,
    transactions: readonly AppliedTransaction[],
  ): void {
    const { batch } = this;
    if (transactions.length > 0) {
      // `BigInt64Array.from` is several times slower.
      const fees = new BigInt64Array(transactions.length);
      for (let i = 0; i < fees.length; i++) fees[i] = transactions[i].effectiveFee;
      batch.insert(tables.effectiveFees, { height: block.height, sequence }, fees);
    }
    const unit = { sequence, transactions, ...block };
    const work = this.#dependencies.indexing.apply(batch, unit);
    if (work.next().done !== true) this.#indexWork = work;
    this.#appliedCount++;
    if (this.listeners.length > 0) this.#committed.push({ id, ...unit });
  }
}
