import { type Block, isBlockSigned } from "../../blocks/block.ts";
import { isMicroBlockSigned, type MicroBlock } from "../../blocks/micro-block.ts";
import { blockScore } from "../../consensus/index.ts";
import { addressOf } from "../../crypto/addresses.ts";
import type { ChainIndex, IndexedBlock } from "../../indexes/chain-index.ts";
import { type AppliedTransaction, appendKeyBlock, appendMicroBlock } from "../../ledger/block.ts";
import type { LedgerRules } from "../../ledger/era.ts";
import { persistBlock } from "../../ledger/persist.ts";
import { Refusal, refusalMessage } from "../../ledger/refusal.ts";
import type { Verdicts } from "../../ledger/verdicts.ts";
import { StoredLedger } from "../../storage/ledger-state.ts";
import type { UnitKey } from "../../storage/places.ts";
import type { RecentIds } from "../../storage/recent-ids.ts";
import { tables } from "../../storage/tables.ts";
import { JournalPrunedError, PERSIST_SEQUENCE, type WriteBatch } from "../../storage/write-batch.ts";
import { type Transaction, transactionId } from "../../transactions/index.ts";
import {
  type BlockRefusal,
  blockText,
  genericRefusal,
  microBlockText,
  signatureRefusal,
  transactionRefusal,
} from "../deciding/block-refusal.ts";
import { forgetLiquidIds, unitTransactions, writeKeyBlock, writeMicroBlock } from "../reading/rows.ts";
import { readTip, type Tip, withMicroBlock } from "../reading/tip.ts";

/** What every change of the chain needs. */
export interface SessionDependencies {
  readonly chainId: number;
  readonly payment: boolean;
  readonly rules: LedgerRules;
  readonly indexes: readonly ChainIndex[];
  /** Ids of the newest blocks; without them every id of the chain is looked up. */
  readonly recent?: RecentIds | undefined;
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

  /** @param tip the best block that is stored, where it is known */
  constructor(
    readonly batch: WriteBatch,
    private readonly dependencies: SessionDependencies,
    tip?: Tip | undefined,
  ) {
    this.known = tip;
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

  /**
   * Writes a key block as the child of the tip, and does for the parent what the protocol does once a block is
   * persisted, if that is still to do. On a refusal everything is as before.
   */
  appendKeyBlock(block: Block, checked: Checked = {}): BlockRefusal | undefined {
    if (checked.signature !== true && !isBlockSigned(block)) return signatureRefusal(blockText(block));
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
      this.record({ height, timestamp: block.timestamp, generator }, 0, applied);
      // `appendKeyBlock` has persisted the parent in the ledger.
      if (parent.liquid) forgetLiquidIds(batch, parent.height);
      return undefined;
    });
  }

  /** Writes a micro block upon the liquid block. On a refusal everything is as before. */
  appendMicroBlock(micro: MicroBlock, arrivedAt: number, checked: Checked = {}): BlockRefusal | undefined {
    if (checked.signature !== true && !isMicroBlockSigned(micro))
      return signatureRefusal(microBlockText(micro));
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
      this.record({ height, timestamp, generator }, sequence, applied);
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
   * @returns the transactions that left the chain, in block order
   * @throws JournalPrunedError when the journal does not reach back so far
   */
  undoTo(target: UnitKey): Transaction[] {
    const { batch } = this;
    const removed: Transaction[][] = [];
    while (isAfter(this.tipUnit(), target)) {
      const last = batch.lastUnit;
      if (last === undefined || !isAfter(last, target)) throw new JournalPrunedError(this.tipUnit());
      if (last.sequence !== PERSIST_SEQUENCE)
        removed.push(unitTransactions(batch, last.height, last.sequence, this.dependencies));
      batch.undoUnit(last);
      this.forget();
    }
    return removed.reverse().flat();
  }

  /** The newest unit: a persisted tip counts as one behind its micro blocks when it was persisted by itself. */
  private tipUnit(): UnitKey {
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
      this.endUnit();
      this.dependencies.recent?.hold(id);
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

  /** Fees and index entries of a unit. */
  private record(block: IndexedBlock, sequence: number, applied: readonly AppliedTransaction[]): void {
    const { batch } = this;
    const { height } = block;
    if (applied.length > 0) {
      const fees = new BigInt64Array(applied.length);
      for (let i = 0; i < fees.length; i++) fees[i] = applied[i].effectiveFee;
      batch.insert(tables.effectiveFees, { height, sequence }, fees);
    }
    const unit = { ...block, sequence, transactions: applied };
    for (const index of this.dependencies.indexes) index.apply(batch, unit);
  }
}

/** Whether a unit comes after another one. */
function isAfter(a: UnitKey, b: UnitKey): boolean {
  return a.height === b.height ? a.sequence > b.sequence : a.height > b.height;
}
