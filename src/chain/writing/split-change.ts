import { failed, ok } from "../../errors/result.ts";
import { runToEnd } from "../../indexes/chain-index.ts";
import { PERSIST_SEQUENCE } from "../../storage/batch/write-batch.ts";
import { isAfter, type UnitKey } from "../../storage/places.ts";
import { tables } from "../../storage/tables.ts";
import { transactionsOf } from "../../storage/values/chain.ts";
import { type NetworkRules, reparseTransaction } from "../../transactions/index.ts";
import { type AppendResult, genericRefusal } from "../deciding/block-refusal.ts";
import { revertCount } from "../reading/common-record.ts";
import type { ChangeSource } from "./change.ts";
import type { BlockChecks, OpenChange } from "./open-change.ts";
import type { UnfinishedSwitch } from "./switch-row.ts";
import type { TimeSlice } from "./time-slice.ts";
import { ChainClosedError, type WriteLock } from "./write-queue.ts";
import type { ChainWriter } from "./writer.ts";

/** Limits of a commit, so that it takes about 50 ms. */
const COMMIT_LIMITS = {
  /** Transactions, plus `UNIT_WEIGHT` for each unit. */
  weight: 32_000,
  bytes: 8 * 1024 * 1024,
  /** Rows in memory. */
  rows: 150_000,
};
/** Limits after the first commit that undid units. */
const SWITCH_COMMIT_LIMITS = { weight: 8_000, bytes: 2 * 1024 * 1024, rows: 40_000 };
/** From this weight on, the caller pauses before and after the commit. */
const LONG_COMMIT_WEIGHT = 4_000;
/** Weight of a unit's own rows, in transactions. */
const UNIT_WEIGHT = 8;
const CHECKED: BlockChecks = { signature: true, verdicts: () => true };

type SwitchStart = Omit<UnfinishedSwitch, "last">;

/** Our own units were rejected when restored. */
export class NotRestoredError extends Error {
  override readonly name = "NotRestoredError";
  constructor(readonly reason: string) {
    super(`Our blocks could not be restored: ${reason}`);
  }
}

/**
 * A change of any size, in commits of bounded size. Either it completes, or our chain is restored. The caller holds the
 * lock.
 */
export class SplitChange {
  readonly #writer: ChainWriter;
  readonly #lock: WriteLock;
  readonly #network: NetworkRules;
  readonly #slice: TimeSlice;
  #openChange: OpenChange | undefined;
  #weight = 0;
  #bytes = 0;
  #switchStart: SwitchStart | undefined;
  #unfinished: UnfinishedSwitch | undefined;

  constructor(writer: ChainWriter, lock: WriteLock, network: NetworkRules, slice: TimeSlice) {
    this.#writer = writer;
    this.#lock = lock;
    this.#network = network;
    this.#slice = slice;
  }

  get change(): OpenChange {
    if (this.#openChange === undefined) throw new RangeError("No change is open");
    return this.#openChange;
  }

  get isLong(): boolean {
    return this.#weight >= LONG_COMMIT_WEIGHT;
  }

  get isFull(): boolean {
    const { weight, bytes, rows } = this.#hasUndoneUnits ? SWITCH_COMMIT_LIMITS : COMMIT_LIMITS;
    return this.#weight >= weight || this.#bytes >= bytes || this.change.batch.rowCount >= rows;
  }

  /** True if our units were undone but nothing is committed: the change can be repeated. */
  get isRepeatable(): boolean {
    if (this.#switchStart === undefined || this.#unfinished !== undefined) return false;
    return this.#switchStart.isPersisted || revertCount(this.change.batch) > this.#switchStart.after;
  }

  get #hasUndoneUnits(): boolean {
    return this.#unfinished !== undefined && this.#unfinished.last > this.#unfinished.after;
  }

  async begin(): Promise<void> {
    await this.restoreUnfinished();
    this.#beginCommit();
  }

  /**
   * @throws what the store throws
   * @throws NotRestoredError
   */
  async restoreUnfinished(): Promise<void> {
    this.#unfinished = this.#writer.unfinishedSwitch;
    await this.#restore();
  }

  restoreUnfinishedSync(): void {
    this.#unfinished = this.#writer.unfinishedSwitch;
    runToEnd(this.#restoreSteps());
  }

  /** Records where our chain changes. Call this before undoing or applying units. */
  beginAt(start: SwitchStart): void {
    this.#switchStart = start;
  }

  async yield(): Promise<void> {
    await this.#slice.yield();
    this.change.resume();
  }

  /** Runs `work`, which changes one unit, and adds the unit to the commit's size. */
  measure<T>(work: (change: OpenChange) => T): T {
    const { change } = this;
    const { height } = change.tip;
    const readHeaders = () => [height, height + 1].map((at) => change.batch.get(tables.headers, at));
    const before = readHeaders();
    const result = work(change);
    this.#weight += UNIT_WEIGHT;
    readHeaders().forEach((header, i) => {
      this.#weight += Math.abs((header?.transactionCount ?? 0) - (before[i]?.transactionCount ?? 0));
      this.#bytes += Math.abs((header?.size ?? 0) - (before[i]?.size ?? 0));
    });
    return result;
  }

  /** @param options `isUndoing`: more of our units will be undone */
  async commitPart({ isUndoing = false }: { readonly isUndoing?: boolean } = {}): Promise<void> {
    await this.yield();
    if (this.#switchStart === undefined) throw new RangeError("beginAt was not called");
    const { change } = this;
    const floor = isUndoing ? change.lastUnit : this.#switchStart.floor;
    const unfinished = { ...this.#switchStart, floor, last: revertCount(change.batch) };
    // A change that only adds blocks needs no switch row.
    if (unfinished.last > unfinished.after) change.writeSwitchRow(unfinished);
    this.#commit({ isPart: true, source: "downloaded" });
    this.#unfinished = unfinished;
    this.#beginCommit();
  }

  commitLast(): void {
    this.change.removeSwitchRow();
    this.#commit({ isPart: false, source: "downloaded" });
  }

  async rollBack(): Promise<void> {
    this.#abandon();
    await this.#restore();
  }

  /**
   * Abandons the change after an error, and restores our chain if units were undone. If the node is stopping, the next
   * start restores the chain.
   */
  async fail(error: unknown): Promise<void> {
    this.#abandon();
    if (this.#hasUndoneUnits && !(error instanceof ChainClosedError)) await this.#restore();
  }

  #beginCommit(): void {
    this.#openChange = this.#writer.begin(this.#lock, { continuesSwitch: this.#unfinished !== undefined });
    this.#weight = 0;
    this.#bytes = 0;
  }

  #commit(options: { readonly isPart: boolean; readonly source: ChangeSource }): void {
    const { change } = this;
    this.#openChange = undefined;
    this.#writer.commit(change, options);
  }

  #abandon(): void {
    if (this.#openChange !== undefined) this.#writer.abandon(this.#openChange);
    this.#openChange = undefined;
  }

  async #restore(): Promise<void> {
    for (const _ of this.#restoreSteps()) if (this.#slice.isOver) await this.yield();
  }

  *#restoreSteps(): Generator<void, void> {
    const unfinished = this.#unfinished;
    if (unfinished === undefined) return;
    const steps = this.#restoreUnits(unfinished);
    let result: IteratorResult<void, AppendResult>;
    do {
      this.#beginCommit();
      try {
        do {
          result = this.measure(() => steps.next());
          if (result.done !== true) yield;
        } while (result.done !== true && !this.isFull);
        if (result.done !== true && this.#hasUndoneUnits) this.change.writeSwitchRow(unfinished);
        this.#commit({ isPart: result.done !== true, source: "restored" });
      } finally {
        this.#abandon();
      }
    } while (result.done !== true);
    this.#unfinished = undefined;
    if (!result.value.ok) throw new NotRestoredError(result.value.error.printed);
  }

  /** Undoes the other branch and applies our units again, up to the first rejected one. */
  *#restoreUnits({ floor, after, last, isPersisted }: UnfinishedSwitch): Generator<void, AppendResult> {
    while (isAfter(this.change.lastUnit, floor)) {
      this.change.undoLast(floor);
      if (last > after || isAfter(this.change.lastUnit, floor)) yield;
    }
    let result: AppendResult = ok("appended");
    for (let serial = last; serial > after && result.ok; serial--) {
      result = this.#applyReverted(serial);
      if (serial > after + 1 && result.ok) yield;
    }
    if (isPersisted && result.ok) this.change.persistTip();
    this.change.removeSwitchRow();
    return result;
  }

  #applyReverted(serial: number): AppendResult {
    const { change } = this;
    const entry = change.batch.get(tables.revertedOrder, serial);
    const unit = entry && change.batch.get(tables.revertedUnits, entry.id);
    if (unit === undefined) {
      const text = `Unit ${serial} of the log of reverted units is missing`;
      return failed({ ...genericRefusal(text), printed: text });
    }
    const { header, micro, body } = unit;
    const transactions =
      body === undefined ? [] : transactionsOf(body).map((bytes) => reparseTransaction(bytes, this.#network));
    if (micro !== undefined) {
      const block = { ...micro, generator: header.generator, transactions };
      return change.applyMicroBlock(block, micro.arrivedAt, CHECKED);
    }
    const { baseSignature, size: _, transactionCount: __, ...fields } = header;
    return change.applyKeyBlock({ ...fields, signature: baseSignature, transactions }, CHECKED);
  }
}

export function switchStart({ batch, lastUnit }: OpenChange, floor: UnitKey): SwitchStart {
  const isPersisted = isAfter(lastUnit, floor) && lastUnit.sequence === PERSIST_SEQUENCE;
  return { floor, after: revertCount(batch), isPersisted };
}
