/** Takes back a switch that a kill or a failing disk has left unfinished, before the chain changes otherwise. */
import { reasonOf } from "../../bytes/errors.ts";
import type { Clock, Log } from "../../interfaces.ts";
import type { Store } from "../../storage/store.ts";
import type { NetworkRules } from "../../transactions/index.ts";
import { Pace } from "./pace.ts";
import { PartedChange } from "./parted-change.ts";
import {
  forgetSwitch,
  hasSwitchRow,
  recordSwitch,
  SwitchBack,
  type UnfinishedSwitch,
  unfinishedSwitch,
} from "./unfinished-switch.ts";
import { ChainClosedError } from "./write-queue.ts";
import type { ChainWriter } from "./writer.ts";

/** Units that one commit undoes or appends while the chain is opened. */
const COMMIT_UNITS = 10;
const NOT_RESTORED = "Not all blocks could be restored";

/**
 * Restores our chain after a switch that a kill has ended: to be called before anything else uses the chain.
 * @throws what the store throws
 */
export function restoreAtOpening(
  store: Store,
  writer: ChainWriter,
  network: NetworkRules,
  log: Pick<Log, "warn" | "error">,
): void {
  if (!hasSwitchRow(store)) return;
  const unfinished = store.read(unfinishedSwitch);
  if (unfinished === undefined) {
    // Void: the chain has changed since.
    store.write(forgetSwitch);
    return;
  }
  writer.hasUnfinishedSwitch = true;
  log.warn("The node ended while it switched to another branch: it restores its own", { ...unfinished });
  const failure = restore(writer, unfinished, network);
  if (failure !== undefined) log.error(NOT_RESTORED, { reason: failure });
}

/** @returns why the chain could not become what it was; undefined: it could */
function restore(
  writer: ChainWriter,
  unfinished: UnfinishedSwitch,
  network: NetworkRules,
): string | undefined {
  const back = new SwitchBack(unfinished, network);
  for (let isDone = false; !isDone; ) {
    const open = writer.begin(undefined, { keepsReverted: true });
    try {
      for (let units = 0; units < COMMIT_UNITS && !isDone; units++) isDone = back.step(open.session);
      if (!isDone) recordSwitch(open.session.batch, unfinished);
    } catch (error) {
      open.abandon();
      throw error;
    }
    open.commit();
  }
  return back.failure;
}

export interface RestoringDependencies {
  readonly writer: ChainWriter;
  readonly network: NetworkRules;
  readonly clock: Clock;
  readonly log: Log;
}

/** The writer's queue for changes that can wait: each of them finds our chain restored. */
export class RestoringQueue {
  readonly #dependencies: RestoringDependencies;

  constructor(dependencies: RestoringDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Runs a task as `WriteQueue.whenFree`. If a switch is unfinished when it is the task's turn, the switch is taken back
   * first, and the task waits once more.
   * @throws DiskError when the switch cannot be taken back
   * @throws what `task` throws, and as `WriteQueue.whenFree`
   */
  whenFree<T>(task: () => T, isUrgent?: boolean): Promise<T> {
    const { writer } = this.#dependencies;
    const run = (): T | Promise<T> =>
      writer.hasUnfinishedSwitch ? this.#restore().then(() => this.whenFree(task, isUrgent)) : task();
    // The queue's promise awaits the one that `run` returns.
    return writer.queue.whenFree(run, isUrgent) as Promise<T>;
  }

  async #restore(): Promise<void> {
    const { writer, network, clock, log } = this.#dependencies;
    const pace = new Pace(clock, () => {
      if (writer.queue.isClosed) throw new ChainClosedError();
    });
    const release = writer.queue.takeNow();
    try {
      await PartedChange.restore(writer, network, pace);
    } catch (error) {
      if (writer.hasUnfinishedSwitch) throw error;
      log.error(NOT_RESTORED, { reason: reasonOf(error) });
    } finally {
      release();
    }
  }
}
