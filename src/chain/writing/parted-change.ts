/** A change of any size in commits of bounded size: it becomes complete, or the chain becomes what it was. */

import { PERSIST_SEQUENCE } from "../../storage/batch/write-batch.ts";
import { isAfter, type UnitKey } from "../../storage/places.ts";
import { tables } from "../../storage/tables.ts";
import type { NetworkRules } from "../../transactions/index.ts";
import type { Pace } from "./pace.ts";
import type { Session } from "./session.ts";
import {
  forgetSwitch,
  newestReverted,
  recordSwitch,
  SwitchBack,
  type UnfinishedSwitch,
  unfinishedSwitch,
} from "./unfinished-switch.ts";
import { ChainClosedError } from "./write-queue.ts";
import type { ChainWriter, OpenChange } from "./writer.ts";

/**
 * The most of one commit, in transactions and in bytes of blocks: some 50 ms, in which nobody else has this thread. That
 * is about what a peer's answer names, so that most extensions are one commit.
 */
const COMMIT = {
  weight: 32_000,
  bytes: 8 * 1024 * 1024,
  /** Rows that are held in memory: a mass transfer changes many. */
  rows: 150_000,
};
/** The same once a switch takes several commits anyway: more and shorter turns, and less memory. */
const SWITCH_COMMIT = { weight: 8_000, bytes: 2 * 1024 * 1024, rows: 40_000 };
/** From this weight on a commit has a turn of its own. */
const LONG_COMMIT = 4_000;
/** What the rows of a unit without transactions weigh, as transactions. */
const UNIT_WEIGHT = 8;

/** Where the way back begins. */
export type SwitchStart = Omit<UnfinishedSwitch, "last">;

/** One at a time: the right to write is the caller's, beyond the commits. */
export class PartedChange {
  readonly #writer: ChainWriter;
  readonly #network: NetworkRules;
  readonly #pace: Pace;
  #open: OpenChange;
  #isOpen = false;
  /** What was appended, or undone, since the last commit. */
  #weight = 0;
  #bytes = 0;
  #start: SwitchStart | undefined;
  /** How to come back, once something was committed. */
  #unfinished: UnfinishedSwitch | undefined;

  constructor(writer: ChainWriter, network: NetworkRules, pace: Pace) {
    this.#writer = writer;
    this.#network = network;
    this.#pace = pace;
    this.#open = this.#begin();
  }

  /**
   * Takes back a switch that the disk let neither end nor be taken back. The caller holds the right to write.
   * @throws what the store throws, and as `#takeBack`
   */
  static async restore(writer: ChainWriter, network: NetworkRules, pace: Pace): Promise<void> {
    const change = new PartedChange(writer, network, pace);
    try {
      await change.finishEarlier();
    } finally {
      change.#abandon();
    }
  }

  /** What is written to now: another one after each commit. */
  get session(): Session {
    return this.#open.session;
  }

  /** Whether the next commit takes long enough to have a turn of its own. */
  get isLong(): boolean {
    return this.#weight >= LONG_COMMIT;
  }

  /** Whether `commitPart` is to be called before anything else is done. */
  get isFull(): boolean {
    const { weight, bytes, rows } = this.#isTorn ? SWITCH_COMMIT : COMMIT;
    return this.#weight >= weight || this.#bytes >= bytes || this.session.batch.rowCount >= rows;
  }

  /** Whether abandoning it costs nothing but time: units of ours are undone, and none in a commit. */
  get canBeRepeated(): boolean {
    if (this.#start === undefined || this.#unfinished !== undefined) return false;
    return this.#start.isPersisted || newestReverted(this.session.batch) > this.#start.after;
  }

  /** Whether our units were undone in a commit, and the other branch is not complete. */
  get #isTorn(): boolean {
    return this.#unfinished !== undefined && this.#unfinished.last > this.#unfinished.after;
  }

  /** Notes how to come back: to be called before anything is undone or appended. */
  beginAt(start: SwitchStart): void {
    this.#start = start;
  }

  /** Lets others have their turn. */
  async turn(): Promise<void> {
    await this.#pace.turn();
    this.session.resume();
  }

  /** Undoes or appends a unit, and adds what it holds to this commit. */
  weighed<T>(work: (session: Session) => T): T {
    const { session } = this;
    const { height } = session.tip;
    const rows = () => [height, height + 1].map((at) => session.batch.get(tables.headers, at));
    const before = rows();
    const result = work(session);
    this.#weight += UNIT_WEIGHT;
    rows().forEach((row, i) => {
      this.#weight += Math.abs((row?.transactionCount ?? 0) - (before[i]?.transactionCount ?? 0));
      this.#bytes += Math.abs((row?.size ?? 0) - (before[i]?.size ?? 0));
    });
    return result;
  }

  /**
   * Commits what was done so far, with the way back.
   * @param isRemoving whether more of our units are to be undone: what is left of them stays on the way back
   */
  async commitPart(isRemoving = false): Promise<void> {
    await this.turn();
    if (this.#start === undefined) throw new RangeError("Nothing was begun");
    const { batch, lastUnit } = this.session;
    const floor = isRemoving ? lastUnit : this.#start.floor;
    const unfinished = { ...this.#start, floor, last: newestReverted(batch) };
    // What only adds leaves a chain that is better than the one before, also when it ends here.
    if (unfinished.last > unfinished.after) recordSwitch(batch, unfinished);
    this.#commit(true);
    this.#unfinished = unfinished;
    this.#open = this.#begin();
  }

  /** Commits the rest: the change is complete. */
  finish(): void {
    if (this.#unfinished !== undefined) forgetSwitch(this.session.batch);
    this.#commit(false);
  }

  /** Gives it up: all of it is taken back. */
  async giveUp(): Promise<void> {
    this.#abandon();
    await this.#takeBack();
  }

  /**
   * Gives it up for a fault of this node. What was only added may stay; when the node stops, its next start restores the
   * rest.
   */
  async fail(error: unknown): Promise<void> {
    this.#abandon();
    if (this.#isTorn && !(error instanceof ChainClosedError)) await this.#takeBack();
  }

  /** Takes back an earlier one that the disk let neither end nor be taken back. */
  async finishEarlier(): Promise<void> {
    const left = unfinishedSwitch(this.session.batch);
    if (left === undefined) return;
    this.#unfinished = left;
    this.#abandon();
    await this.#takeBack();
    this.#open = this.#begin();
  }

  #begin(): OpenChange {
    const open = this.#writer.begin(() => {}, { keepsReverted: this.#unfinished !== undefined });
    this.#isOpen = true;
    this.#weight = 0;
    this.#bytes = 0;
    return open;
  }

  #commit(isPart: boolean): void {
    this.#isOpen = false;
    this.#open.commit({ isPart });
  }

  #abandon(): void {
    if (this.#isOpen) this.#open.abandon();
    this.#isOpen = false;
  }

  /** @throws Error when our own units are refused: a fault of this node */
  async #takeBack(): Promise<void> {
    const unfinished = this.#unfinished;
    if (unfinished === undefined) return;
    const back = new SwitchBack(unfinished, this.#network);
    for (let isDone = false; !isDone; ) {
      this.#open = this.#begin();
      try {
        while (!isDone && !this.isFull) {
          isDone = this.weighed((session) => back.step(session));
          if (this.#pace.isDue) await this.turn();
        }
        if (!isDone && this.#isTorn) recordSwitch(this.session.batch, unfinished);
      } catch (error) {
        this.#abandon();
        throw error;
      }
      this.#commit(!isDone);
    }
    this.#unfinished = undefined;
    if (back.failure !== undefined) throw new Error(`Our blocks could not be restored: ${back.failure}`);
  }
}

/** The way back from a branch that leaves ours at a unit. @param floor the newest unit that stays */
export function switchStart(session: Session, floor: UnitKey): SwitchStart {
  const { batch, lastUnit } = session;
  const isPersisted = isAfter(lastUnit, floor) && lastUnit.sequence === PERSIST_SEQUENCE;
  return { floor, after: newestReverted(batch), isPersisted };
}
