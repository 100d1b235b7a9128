import type { Block } from "../../blocks/block.ts";
import type { MicroBlock } from "../../blocks/micro-block.ts";
import type { ChainCursor } from "../../interfaces.ts";
import { type ScriptRun, scriptRuns } from "../../ledger/scripts/script-verdicts.ts";
import type { UnitKey } from "../../storage/places.ts";
import { tables } from "../../storage/tables.ts";
import type { Transaction } from "../../transactions/index.ts";
import { isRecordOnChain } from "../reading/common-record.ts";
import type { Tip } from "../reading/tip.ts";
import { newestRecord } from "../reading/unit-records.ts";
import type { BlockChecks, OpenChange } from "../writing/open-change.ts";
import type { TimeSlice } from "../writing/time-slice.ts";
import type { ChainWriter } from "../writing/writer.ts";
import type { AppendResult } from "./block-refusal.ts";
import type { BlockRules } from "./block-rules.ts";

/** See `Chain.beginGroup`. */
export interface BlockGroup {
  readonly tip: Tip;
  /** The newest unit, which may be a persist unit. */
  readonly position: ChainCursor;
  scriptRuns(transactions: readonly Transaction[]): readonly ScriptRun[];
  /** A rejected block leaves the group unchanged. */
  append(block: Block, checked?: BlockChecks): AppendResult;
  /** @param arrivedAt local clock, ms */
  appendMicroBlock(micro: MicroBlock, arrivedAt: number, checked?: BlockChecks): AppendResult;
  /** Page 05 §23.8. */
  persist(): void;
  /** Returns true if a unit, which may be a persist unit, is on this group's chain. */
  has(position: ChainCursor): boolean;
  /** @param target newest unit to keep @throws JournalPrunedError if the journal is too short */
  undoTo(target: UnitKey): void;
  /** Finishes the newest unit first. Returns undefined for an unknown unit. */
  digest(unit: UnitKey): Uint8Array | undefined;
  /** Pauses of the slice throw `ChainClosedError` once the chain is closed. */
  timeSlice(): TimeSlice;
  /** Call this after a pause: other code may have used the cache of recent ids. */
  resume(): void;
  commit(): void;
  abandon(): void;
}

export function beginBlockGroup(writer: ChainWriter, blocks: BlockRules): BlockGroup {
  const lock = writer.queue.acquireNow();
  const closeWith = (task: () => void): void => {
    try {
      task();
    } finally {
      lock.release();
    }
  };
  let change: OpenChange;
  try {
    change = writer.begin(lock);
  } catch (error) {
    lock.release();
    throw error;
  }
  return {
    get tip() {
      return change.tip;
    },
    get position() {
      return newestRecord(change.batch);
    },
    scriptRuns: (transactions) => scriptRuns(change.ledger, transactions, change.tip.height + 1),
    append: (block, checked = {}) => blocks.acceptNext(change, block, checked),
    appendMicroBlock: (micro, arrivedAt, checked = {}) =>
      blocks.acceptMicroBlock(change, micro, arrivedAt, checked),
    persist: () => change.persistTip(),
    has: (position) => isRecordOnChain(change.batch, position),
    undoTo: (target) => change.undoTo(target),
    digest: (unit) => {
      change.finish();
      return change.batch.get(tables.unitDigests, unit);
    },
    timeSlice: () => writer.timeSlice(),
    resume: () => change.resume(),
    commit: () => closeWith(() => writer.commit(change)),
    abandon: () => closeWith(() => writer.abandon(change)),
  };
}
