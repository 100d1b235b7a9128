import { type Block, type BlockHeader, isBlockSigned } from "../../blocks/block.ts";
import { bytesEqual } from "../../bytes/compare.ts";
import { failed, type Result } from "../../errors/result.ts";
import type { Clock } from "../../interfaces.ts";
import type { LedgerRules } from "../../ledger/era.ts";
import { type ScriptRun, scriptRuns } from "../../ledger/scripts/script-verdicts.ts";
import { assumedValid } from "../../ledger/verdicts.ts";
import { PERSIST_SEQUENCE } from "../../storage/batch/write-batch.ts";
import { DiskError } from "../../storage/disk/disk-error.ts";
import { isAfter } from "../../storage/places.ts";
import { tables } from "../../storage/tables.ts";
import type { NetworkRules } from "../../transactions/index.ts";
import type { BlockChecks } from "../writing/open-change.ts";
import { SplitChange, switchStart } from "../writing/split-change.ts";
import type { TimeSlice } from "../writing/time-slice.ts";
import { ChainBusyError, ChainClosedError, type WriteLock, type WriteQueue } from "../writing/write-queue.ts";
import type { ChainWriter } from "../writing/writer.ts";
import {
  type AppendResult,
  type BlockRefusal,
  blockText,
  genericRefusal,
  signatureRefusal,
} from "./block-refusal.ts";
import type { BlockRules } from "./block-rules.ts";
import type { CheckpointList } from "./checkpoints.ts";
import type { ExtensionResult } from "./extension-result.ts";
import { checkExtension, type ExtensionLimits, type ExtensionPlan, futureResult } from "./extension-rules.ts";
import { ForkHeaders } from "./fork-headers.ts";
import type { ProofOfStake } from "./proof-of-stake.ts";

interface BlockToApply extends BlockChecks {
  readonly block: Block;
}

export type DecodedBlock = Result<BlockToApply, string>;

/** Consecutive blocks of a peer, numbered from 0. */
export interface Extension {
  readonly headers: readonly BlockHeader[];
  /**
   * Returns a block. An attempt may begin at any number, and continues with consecutive ones. An error says why the
   * bytes are unreadable.
   * @param slice the caller's time slice, in which this thread helps with the checks
   */
  block(number: number, slice: TimeSlice): DecodedBlock | Promise<DecodedBlock>;
  /** Returns true if the block is signed; undefined before the check. */
  signature(number: number): Result<boolean, string> | undefined;
  /** May stop after the first invalid signature. */
  checkSignatures(from: number, to: number, slice: TimeSlice): Promise<void>;
  runScripts(runs: readonly ScriptRun[], slice: TimeSlice): Promise<void>;
}

export interface ExtensionDependencies {
  readonly writer: ChainWriter;
  /** Runs one extension at a time, even while one awaits signatures without the write lock. */
  readonly extensionQueue: WriteQueue;
  readonly blocks: BlockRules;
  readonly checkpoints: CheckpointList;
  readonly proofOfStake: ProofOfStake;
  readonly rules: LedgerRules;
  readonly network: NetworkRules;
  readonly clock: Clock;
}

/** Blocks [from, to), whose signatures must be checked before the next attempt. */
interface Unchecked {
  readonly kind: "unchecked";
  readonly from: number;
  readonly to: number;
}

/** Interrupts an attempt: our next block is due. */
class PreemptedError extends Error {
  override readonly name = "PreemptedError";
}

/** After this many interruptions, an extension runs to its end. */
const MAX_PREEMPTIONS = 2;

/**
 * Accepts all or none of a peer's consecutive blocks, which may replace ours. Page 03 §12.3. After a failure, the
 * liquid block keeps its micro blocks, unlike in the reference.
 *
 * First, all signatures and headers are checked (`fork-headers.ts`), and the computed score must exceed ours.
 *
 * A long extension takes several commits. If it fails, or the process is killed, our chain is restored
 * (`split-change.ts`).
 */
export async function acceptExtension(
  dependencies: ExtensionDependencies,
  extension: Extension,
  limits: ExtensionLimits,
): Promise<ExtensionResult> {
  const { writer, extensionQueue } = dependencies;
  const slice = writer.timeSlice();
  try {
    const extensionLock = await extensionQueue.acquire();
    try {
      for (let preemptions = 0; ; ) {
        const lock = await writer.queue.acquire();
        slice.restart();
        const isPreemptible = preemptions < MAX_PREEMPTIONS;
        const attempt = new ExtensionAttempt(dependencies, extension, { limits, lock, slice, isPreemptible });
        const result = await attempt.run().finally(() => lock.release());
        if (result.kind === "preempted") preemptions++;
        else if (result.kind === "unchecked") await verifySignatures(extension, result, slice);
        else return result;
      }
    } finally {
      extensionLock.release();
    }
  } catch (error) {
    if (error instanceof ChainBusyError || error instanceof ChainClosedError || error instanceof DiskError)
      return { kind: "unable", error };
    throw error;
  }
}

async function verifySignatures(
  extension: Extension,
  { from, to }: Unchecked,
  slice: TimeSlice,
): Promise<void> {
  await extension.checkSignatures(from, to, slice);
  if (extension.signature(from) === undefined)
    throw new RangeError(`Signature of block ${from} was not checked`);
}

interface AttemptOptions {
  readonly limits: ExtensionLimits;
  readonly lock: WriteLock;
  readonly slice: TimeSlice;
  readonly isPreemptible: boolean;
}

class ExtensionAttempt {
  readonly #dependencies: ExtensionDependencies;
  readonly #extension: Extension;
  readonly #options: AttemptOptions;
  readonly #slice: TimeSlice;
  readonly #split: SplitChange;

  constructor(dependencies: ExtensionDependencies, extension: Extension, options: AttemptOptions) {
    this.#dependencies = dependencies;
    this.#extension = extension;
    this.#options = options;
    this.#slice = options.slice;
    this.#split = new SplitChange(dependencies.writer, options.lock, dependencies.network, options.slice);
  }

  async run(): Promise<ExtensionResult | Unchecked | { readonly kind: "preempted" }> {
    const split = this.#split;
    let result: ExtensionResult | Unchecked;
    try {
      await split.begin();
      result = await this.#accept();
      if (result.kind === "applied") await this.#commitChange();
    } catch (error) {
      await split.fail(error);
      if (error instanceof PreemptedError) return { kind: "preempted" };
      throw error;
    }
    if (result.kind !== "applied") await split.rollBack();
    return result;
  }

  async #accept(): Promise<ExtensionResult | Unchecked> {
    const headers = this.#checkHeaders();
    if (!headers.ok) return headers.error;
    const plan = headers.value;
    const refused = await this.#checkProofs(plan);
    if (refused !== undefined) return refused;
    const { height, score } = plan;
    this.#options.limits.onEvidence?.({ height, score });
    await this.#undoUnits(plan);
    return this.#applyUnits(plan);
  }

  async #commitChange(): Promise<void> {
    const split = this.#split;
    const { isLong } = split;
    if (isLong) await split.yield();
    split.commitLast();
    if (isLong) await this.#slice.yieldUnchecked();
  }

  #checkHeaders(): Result<ExtensionPlan, ExtensionResult> {
    const { checkpoints, clock } = this.#dependencies;
    const { batch, tip } = this.#split.change;
    const input = { reader: batch, tip, checkpoints, now: clock.now() };
    return checkExtension(input, this.#extension.headers, this.#options.limits);
  }

  /**
   * Runs the cheapest checks first: whether the first generator may forge, then base targets and generation signatures.
   * Before refusing a block, checks the signatures up to it: only a signed block makes its id bad.
   * Page 03 §12.3 step 1, §12.4 rows 2 to 9.
   */
  async #checkProofs({
    firstNew,
    common,
    startsAtMicroBlock,
  }: ExtensionPlan): Promise<ExtensionResult | Unchecked | undefined> {
    const extension = this.#extension;
    const { rules, proofOfStake } = this.#dependencies;
    const { batch: reader, tip } = this.#split.change;
    const newHeaders = extension.headers.slice(firstNew);
    const fork = new ForkHeaders({ reader, tip, rules, proofOfStake, common }, newHeaders);
    const mayForge = fork.scriptRefusal(0) === undefined && fork.balanceRefusal(0) === undefined;
    const candidates = mayForge ? newHeaders : newHeaders.slice(0, 1);
    const firstWrong = candidates.findIndex((_, index) => fork.headerRefusal(index) !== undefined);
    const end = firstWrong < 0 ? candidates.length : firstWrong + 1;
    for (let index = 0; index < end; index++) {
      const signature = extension.signature(firstNew + index);
      if (signature === undefined) return { kind: "unchecked", from: firstNew + index, to: firstNew + end };
      if (!signature.ok) return { kind: "malformed", refusal: genericRefusal(signature.error) };
      if (!signature.value)
        return refusalResult(signatureRefusal(blockText(newHeaders[index])), newHeaders[index], true);
    }
    for (let index = 0; index < end; index++) {
      if (this.#slice.isOver) await this.#split.yield();
      const refusal =
        fork.scriptRefusal(index) ??
        fork.balanceRefusal(index) ??
        (index === firstWrong ? fork.headerRefusal(index) : undefined) ??
        fork.delayRefusal(index);
      if (refusal !== undefined)
        return refusalResult(refusal, newHeaders[index], !(startsAtMicroBlock && index === 0));
    }
    return undefined;
  }

  async #undoUnits({ common }: ExtensionPlan): Promise<void> {
    const split = this.#split;
    const { change } = split;
    const { batch, tip, lastUnit } = change;
    const target = this.#dependencies.blocks.removalTarget(change, common);
    const { height, sequence } = batch.get(tables.blockIds, common) ?? tip;
    const isTip = target === undefined && bytesEqual(common, tip.id);
    // Undo the common block's persist unit too: the new child persists it.
    const end = target === undefined ? sequence : PERSIST_SEQUENCE - 1;
    split.beginAt(switchStart(change, isTip ? lastUnit : { height, sequence: end }));
    if (target === undefined) return;
    while (isAfter(split.change.lastUnit, target)) {
      if (split.isFull) await split.commitPart({ isUndoing: true });
      if (this.#slice.isOver) await this.#yieldToForging();
      split.measure((current) => current.undoLast(target));
    }
    split.change.persistTip();
  }

  async #applyUnits({ firstNew, startsAtMicroBlock }: ExtensionPlan): Promise<ExtensionResult> {
    const extension = this.#extension;
    const split = this.#split;
    const end = extension.headers.length;
    for (let number = firstNew; number < end; number++) {
      if (split.isFull) await split.commitPart();
      // Await only if necessary: other code runs meanwhile.
      if (this.#slice.isOver) await this.#yieldToForging();
      const decoding = extension.block(number, this.#slice);
      const decoded = decoding instanceof Promise ? await decoding : decoding;
      if (decoding instanceof Promise) split.change.resume();
      if (!decoded.ok) return { kind: "malformed", refusal: genericRefusal(decoded.error) };
      const applying = this.#applyUnit(decoded.value);
      const applied = applying instanceof Promise ? await applying : applying;
      if (!applied.ok)
        return refusalResult(
          applied.error,
          decoded.value.block,
          !(startsAtMicroBlock && number === firstNew),
        );
      for (const _ of split.change.finishing()) if (this.#slice.isOver) await split.yield();
    }
    const { height, score } = split.change.tip;
    return { kind: "applied", height, score, blocks: end - firstNew };
  }

  #applyUnit({ block, signature, verdicts, assumed }: BlockToApply): AppendResult | Promise<AppendResult> {
    if (signature !== true && !isBlockSigned(block)) return failed(signatureRefusal(blockText(block)));
    const { blocks } = this.#dependencies;
    const split = this.#split;
    const { change } = split;
    const header = blocks.checkHeader(change, block);
    if (!header.ok) return header;
    const apply = (): AppendResult =>
      split.measure(() => blocks.applyKeyBlock(change, block, { verdicts, signature: true, assumed }));
    if (verdicts === assumedValid) return apply();
    const runs = scriptRuns(change.ledger, block.transactions, change.tip.height + 1);
    if (runs.length < 2) return apply();
    return this.#extension.runScripts(runs, this.#slice).then(() => {
      change.resume();
      return apply();
    });
  }

  /** @throws PreemptedError if our next block is due */
  async #yieldToForging(): Promise<void> {
    await this.#split.yield();
    const { queue } = this.#dependencies.writer;
    if (this.#options.isPreemptible && queue.hasUrgent && this.#split.isRepeatable)
      throw new PreemptedError();
  }
}

/** @param isParentShared true if the parent has the same id on every node */
function refusalResult(
  refusal: BlockRefusal,
  block: Block | BlockHeader,
  isParentShared: boolean,
): ExtensionResult {
  if (refusal.isNodeFault) return { kind: "unable", error: new Error(refusal.text) };
  if (refusal.kind === "BlockFromFuture") return futureResult(block);
  // Anyone can send other bytes with a valid block's id: do not remember the id as bad.
  const remember = isParentShared && refusal.kind !== "InvalidSignature";
  return { kind: "bad block", id: block.signature, refusal, remember };
}
