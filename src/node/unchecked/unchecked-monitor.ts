/**
 * Monitors blocks whose signatures were not checked (`--assume-valid`).
 *
 * Peers' blocks are provisional until the chain contains the block named by `--assume-valid`. If the chain reaches this
 * block's timestamp without containing it, the node checks the signatures.
 */
import { encodeBase58 } from "../../bytes/base58.ts";
import { bytesEqual } from "../../bytes/compare.ts";
import type { Chain, ChainChange } from "../../chain/chain.ts";
import type { SignatureCheck } from "../../chain/jobs/verify-signatures.ts";
import {
  removeUnchecked,
  type UncheckedRecord,
  uncheckedRecord,
  writeUnchecked,
} from "../../chain/reading/unchecked.ts";
import { ChainBusyError, ChainClosedError } from "../../chain/writing/write-queue.ts";
import type { Settings } from "../../config/settings.ts";
import type { Cancel, Clock, Log } from "../../interfaces.ts";
import { areaLog } from "../../runtime/area-log.ts";
import { namedClock } from "../../runtime/timers.ts";
import { DiskError } from "../../storage/disk/disk-error.ts";
import type { Environment } from "../environment.ts";
import { InvalidBlockError } from "./invalid-block-error.ts";
import type { RunningCheck, SignatureChecker } from "./signature-check-runner.ts";

const SAVE_INTERVAL_MS = 10_000;
const RETRY_DELAY_MS = 60_000;

interface MonitorDependencies {
  readonly chain: Pick<Chain, "tip" | "read" | "heightOf" | "onChange" | "rules" | "writeNonChainRows">;
  readonly clock: Clock;
  readonly log: Log;
  readonly checker: SignatureChecker | undefined;
  readonly giveUp: (error: InvalidBlockError) => void;
  /** Called when the chain is no longer provisional. */
  readonly onSettled: () => void;
}

interface MonitorOptions {
  readonly assumeValid: Uint8Array | undefined;
  readonly verifySignatures: boolean;
}

interface BackgroundCheck {
  /** Lowest height of the stored record. */
  from: number;
  readonly to: number;
  readonly running: RunningCheck;
  checkedTo: number;
  savedAt: number;
  /** True if the chain has lost blocks of the range. */
  isOutdated: boolean;
}

export class UncheckedMonitor {
  readonly #dependencies: MonitorDependencies;
  readonly #options: MonitorOptions;
  #isProvisional = false;
  #isMissReported = false;
  #check: BackgroundCheck | undefined;
  #lastWrite: Promise<void> = Promise.resolve();
  #cancelRetry: Cancel | undefined;
  #unsubscribe: (() => void) | undefined;

  constructor(dependencies: MonitorDependencies, options: MonitorOptions) {
    this.#dependencies = dependencies;
    this.#options = options;
  }

  /** True while peers' blocks are unchecked and the chain lacks the named block. */
  get isProvisional(): boolean {
    return this.#isProvisional;
  }

  /** @throws InvalidBlockError if an earlier check found an invalid block that is still on the chain */
  start(): void {
    const { chain } = this.#dependencies;
    const record = chain.read(uncheckedRecord);
    if (record?.isFirstInvalid === true && record.from <= chain.tip.height)
      throw new InvalidBlockError(record.from);
    this.#unsubscribe = chain.onChange((change) => this.#follow(change));
    this.#refresh();
  }

  /** Call this before the chain closes. */
  async stop(): Promise<void> {
    this.#unsubscribe?.();
    this.#unsubscribe = undefined;
    this.#cancelRetry?.();
    const check = this.#check;
    this.#check = undefined;
    if (check !== undefined) {
      check.running.stop();
      await check.running.result.catch(() => {});
      if (!check.isOutdated) this.#saveProgress(check);
    }
    await this.#lastWrite;
  }

  #follow({ reverted }: ChainChange): void {
    const check = this.#check;
    if (check !== undefined && reverted.some(({ height }) => height <= check.to)) {
      check.isOutdated = true;
      check.running.stop();
    }
    this.#refresh();
  }

  #refresh(): void {
    const { chain, log, onSettled } = this.#dependencies;
    const { height } = chain.tip;
    const record = chain.read(uncheckedRecord);
    const expected = record?.expected;
    const isReached = expected !== undefined && chain.heightOf(expected.id) !== undefined;
    const wasProvisional = this.#isProvisional;
    this.#isProvisional =
      expected !== undefined && !isReached && record !== undefined && record.from <= height;
    if (record !== undefined && record.from > height) this.#write(() => undefined);
    else if (isReached) {
      log.info("The chain contains the block of assume-valid", { id: encodeBase58(expected.id) });
      this.#write((current) => ({ ...current, expected: undefined }));
    }
    if (wasProvisional && !this.#isProvisional) onSettled();
    if (record !== undefined && record.from <= height) this.#checkIfDue(record);
  }

  #checkIfDue(record: UncheckedRecord): void {
    const { checker } = this.#dependencies;
    if (this.#check !== undefined || this.#cancelRetry !== undefined || checker === undefined) return;
    const isDue = this.#isProvisional ? this.#isMissed(record) : this.#options.verifySignatures;
    if (isDue) this.#begin(checker, record);
  }

  /** Returns true if the chain passed the named block's time, or the settings do not name the block any more. */
  #isMissed({ expected }: UncheckedRecord): boolean {
    if (expected === undefined) return false;
    const { chain, log } = this.#dependencies;
    const { assumeValid } = this.#options;
    const isAssumed = assumeValid !== undefined && bytesEqual(expected.id, assumeValid);
    const isPassed = chain.tip.keyBlock.timestamp >= expected.timestamp;
    if (isPassed && !this.#isMissReported) {
      this.#isMissReported = true;
      log.error("The chain does not contain the block of assume-valid: nothing is trusted", {
        id: encodeBase58(expected.id),
      });
    }
    return !isAssumed || isPassed;
  }

  #begin(checker: SignatureChecker, { from, to: last }: UncheckedRecord): void {
    const { chain, clock, log } = this.#dependencies;
    const to = Math.min(last, chain.tip.height);
    log.info(`Checking the signatures of blocks ${from} to ${to} in the background`);
    const running = checker.start({ from, to }, chain.rules, (checkedTo) => {
      check.checkedTo = checkedTo;
      if (check !== this.#check || check.isOutdated || clock.monotonic() - check.savedAt < SAVE_INTERVAL_MS)
        return;
      this.#saveProgress(check);
    });
    const check: BackgroundCheck = {
      from,
      to,
      running,
      checkedTo: from - 1,
      savedAt: clock.monotonic(),
      isOutdated: false,
    };
    this.#check = check;
    running.result.then(
      (result) => this.#onEnded(check, result),
      (error: unknown) => this.#onFailed(check, error),
    );
  }

  #saveProgress(check: BackgroundCheck): void {
    const { from } = check;
    const next = check.checkedTo + 1;
    check.savedAt = this.#dependencies.clock.monotonic();
    check.from = next;
    // The chain may have got unchecked blocks below `from` meanwhile: keep them in the record.
    this.#write((current) =>
      current.from === from && next <= current.to ? { ...current, from: next } : current,
    );
  }

  #onEnded(check: BackgroundCheck, { outcome, wrong }: SignatureCheck): void {
    if (check !== this.#check) return;
    this.#check = undefined;
    const { log, giveUp } = this.#dependencies;
    if (check.isOutdated) this.#refresh();
    else if (outcome === "wrong" && wrong !== undefined) {
      const error = new InvalidBlockError(wrong.height, wrong.reason);
      log.error(error.message);
      this.#write((current) => ({ ...current, from: wrong.height, isFirstInvalid: true })).finally(() =>
        giveUp(error),
      );
    } else if (outcome === "right") {
      log.info(`All signatures of blocks up to ${check.to} are valid`);
      this.#write((current) => (current.to > check.to ? { ...current, from: check.to + 1 } : undefined)).then(
        () => this.#refresh(),
      );
    }
  }

  #onFailed(check: BackgroundCheck, error: unknown): void {
    if (check !== this.#check) return;
    this.#check = undefined;
    const { clock, log } = this.#dependencies;
    log.error("Checking signatures failed: trying again in a minute", { error });
    this.#cancelRetry = clock.after(RETRY_DELAY_MS, () => {
      this.#cancelRetry = undefined;
      this.#refresh();
    });
  }

  #write(change: (record: UncheckedRecord) => UncheckedRecord | undefined): Promise<void> {
    const { chain, log } = this.#dependencies;
    this.#lastWrite = chain
      .writeNonChainRows((batch) => {
        const record = uncheckedRecord(batch);
        const changed = record && change(record);
        if (changed === undefined) removeUnchecked(batch);
        else writeUnchecked(batch, changed);
      })
      .catch((error: unknown) => {
        if (
          error instanceof ChainBusyError ||
          error instanceof ChainClosedError ||
          error instanceof DiskError
        )
          log.debug("The record of unchecked blocks was not written", { error });
        else throw error;
      });
    return this.#lastWrite;
  }
}

export function monitorUnchecked(
  { clock, log, signatureChecker }: Pick<Environment, "clock" | "log" | "signatureChecker">,
  { imports }: Pick<Settings, "imports">,
  parts: Pick<MonitorDependencies, "chain" | "giveUp" | "onSettled">,
): UncheckedMonitor {
  const ownClock = namedClock(clock, "unchecked blocks");
  const dependencies = { ...parts, clock: ownClock, log: areaLog(log, "chain"), checker: signatureChecker };
  return new UncheckedMonitor(dependencies, imports);
}
