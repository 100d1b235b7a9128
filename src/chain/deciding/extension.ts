import { type Block, type BlockHeader, isBlockSigned } from "../../blocks/block.ts";
import { bytesEqual } from "../../bytes/compare.ts";
import type { Clock } from "../../interfaces.ts";
import type { LedgerRules } from "../../ledger/era.ts";
import { type ScriptRun, scriptRuns } from "../../ledger/script-verdicts.ts";
import { PERSIST_SEQUENCE } from "../../storage/batch/write-batch.ts";
import { DiskError } from "../../storage/disk/disk-error.ts";
import { isAfter } from "../../storage/places.ts";
import { tables } from "../../storage/tables.ts";
import type { NetworkRules } from "../../transactions/index.ts";
import { Pace } from "../writing/pace.ts";
import { PartedChange, switchStart } from "../writing/parted-change.ts";
import type { Checked } from "../writing/session.ts";
import { ChainBusyError, ChainClosedError, type WriteQueue } from "../writing/write-queue.ts";
import type { ChainWriter } from "../writing/writer.ts";
import { type BlockRefusal, blockText, genericRefusal, signatureRefusal } from "./block-refusal.ts";
import type { BlockRules } from "./block-rules.ts";
import type { CheckpointList } from "./checkpoints.ts";
import type { ExtensionResult } from "./extension-result.ts";
import { type ExtensionLimits, fromFuture, judgeExtension, type Plan } from "./extension-rules.ts";
import { ForkHeaders } from "./fork-headers.ts";
import type { ProofOfStake } from "./proof-of-stake.ts";

/** A block of an extension, with what is known of it. */
export interface OfferedBlock extends Checked {
  readonly block: Block;
}

/** Consecutive blocks of one peer, oldest first. They are checked ahead: who takes them waits for the checks. */
export interface Extension {
  readonly headers: readonly BlockHeader[];
  /**
   * A block by its number; they are asked for in order, from whichever on. A text: why its bytes cannot be read.
   * @param pace of who waits, since waiting may mean to lend a hand
   */
  block(number: number, pace: Pace): OfferedBlock | string | Promise<OfferedBlock | string>;
  /**
   * Returns whether the generator signed a block, as far as that is known already; a text says why the block cannot be
   * read; undefined: not checked yet.
   */
  signature(number: number): boolean | string | undefined;
  /** Checks the signatures of the blocks [from, to), up to the first bad one. Known results are kept. */
  checkSignatures(from: number, to: number, pace: Pace): Promise<void>;
  /** Has scripts run on transactions of its blocks, which remember what was said. */
  scripts(runs: readonly ScriptRun[], pace: Pace): Promise<void>;
}

export interface ExtensionDependencies {
  readonly writer: ChainWriter;
  /** Extensions are taken one at a time, even while one of them waits for signatures and other changes are written. */
  readonly order: WriteQueue;
  readonly blocks: BlockRules;
  readonly checkpoints: CheckpointList;
  readonly proofOfStake: ProofOfStake;
  readonly rules: LedgerRules;
  readonly network: NetworkRules;
  readonly clock: Clock;
}

/** The extension cannot be judged before the signatures of some blocks are checked. */
interface Unchecked {
  readonly kind: "unchecked";
  /** Numbers of the blocks: [from, to). */
  readonly from: number;
  readonly to: number;
}

/** The attempt ended because a block of ours is due, which is forged first. */
class PreemptedError extends Error {
  override readonly name = "PreemptedError";
}

/** How often a due block of ours may interrupt an extension that reverts blocks. After that the extension is finished. */
const MAX_PREEMPTIONS = 2;

/**
 * Takes consecutive blocks of one peer that may replace blocks of ours, all or none. Page 03 §12.3. Where the reference
 * loses the micro blocks of the liquid block when the extension fails, nothing is lost here.
 *
 * Nothing is undone, and no transaction is looked at, before the signatures and headers of all of its blocks are checked
 * (`fork-headers.ts`) and their computed score is above ours. Other changes are written while threads check signatures.
 *
 * Most extensions are one commit. A long one takes several, so that memory stays bounded: if it fails, or the process is
 * killed, our chain is restored (`parted-change.ts`). If an extension only adds blocks, each commit leaves a better chain,
 * which stays after a kill.
 *
 * It takes as many turns of the event loop as it needs. Meanwhile nobody else writes.
 */
export async function acceptExtension(
  dependencies: ExtensionDependencies,
  extension: Extension,
  limits: ExtensionLimits,
): Promise<ExtensionResult> {
  const { writer, order, clock } = dependencies;
  const pace = new Pace(clock, () => {
    if (writer.queue.isClosed) throw new ChainClosedError();
  });
  const left = { preemptions: MAX_PREEMPTIONS };
  try {
    const leaveOrder = await order.take();
    try {
      for (;;) {
        const result = await attempt(dependencies, extension, limits, pace, left);
        if (result.kind === "preempted") continue;
        if (result.kind !== "unchecked") return result;
        await extension.checkSignatures(result.from, result.to, pace);
        if (extension.signature(result.from) === undefined)
          throw new RangeError("A signature was not checked");
      }
    } finally {
      leaveOrder();
    }
  } catch (error) {
    if (error instanceof ChainBusyError || error instanceof ChainClosedError || error instanceof DiskError)
      return { kind: "unable", error };
    throw error;
  }
}

/** Holds the right to write, and takes the extension or finds out why it cannot be taken now. */
async function attempt(
  dependencies: ExtensionDependencies,
  extension: Extension,
  limits: ExtensionLimits,
  pace: Pace,
  left: { preemptions: number },
): Promise<ExtensionResult | Unchecked | { readonly kind: "preempted" }> {
  const release = await dependencies.writer.queue.take();
  pace.resumed();
  try {
    return await new Attempt(dependencies, extension, limits, pace, left.preemptions > 0).run();
  } catch (error) {
    if (!(error instanceof PreemptedError)) throw error;
    left.preemptions--;
    return { kind: "preempted" };
  } finally {
    release();
  }
}

/** One extension on its way into the chain. */
class Attempt {
  private readonly change: PartedChange;

  constructor(
    private readonly dependencies: ExtensionDependencies,
    private readonly extension: Extension,
    private readonly limits: ExtensionLimits,
    private readonly pace: Pace,
    /** Whether a due block of ours may interrupt this attempt. */
    private readonly isPreemptible: boolean,
  ) {
    this.change = new PartedChange(dependencies.writer, dependencies.network, pace);
  }

  /** @throws PreemptedError if a due block of ours interrupted it */
  async run(): Promise<ExtensionResult | Unchecked> {
    const { change } = this;
    let result: ExtensionResult | Unchecked;
    try {
      await change.finishEarlier();
      result = await this.judge();
      if (result.kind === "applied") {
        const { isLong } = change;
        if (isLong) await change.turn();
        change.finish();
        // Another extension may be next: other work has its turn before.
        if (isLong) await this.pace.rest();
      }
    } catch (error) {
      await change.fail(error);
      throw error;
    }
    if (result.kind !== "applied") await change.giveUp();
    return result;
  }

  private async judge(): Promise<ExtensionResult | Unchecked> {
    const { checkpoints, clock } = this.dependencies;
    const { batch, tip } = this.change.session;
    const judged = { reader: batch, tip, checkpoints, now: clock.now() };
    const plan = judgeExtension(judged, this.extension.headers, this.limits);
    return plan.kind === "plan" ? this.take(plan) : plan;
  }

  /** Applies the blocks if their headers and signatures prove a better chain. */
  private async take(plan: Plan): Promise<ExtensionResult | Unchecked> {
    const unfit = await this.examine(plan);
    if (unfit !== undefined) return unfit;
    const { height, score } = plan;
    this.limits.onEvidence?.({ height, score });
    return this.follow(plan);
  }

  /**
   * Checks headers and signatures, the cheapest checks first. If the generator of the first block may not forge, which
   * takes one look-up, no other block is checked. Base targets and generation signatures cost a hash each: they show which
   * header is the first wrong one. Up to that block, signatures come before stakes: a block that its generator did not
   * sign proves nothing against the block with its id. Page 03 §12.3 step 1, §12.4 rows 2 to 9.
   */
  private async examine({
    first,
    common,
    uponMicroBlock,
  }: Plan): Promise<ExtensionResult | Unchecked | undefined> {
    const { extension } = this;
    const { rules, proofOfStake } = this.dependencies;
    const { batch: reader, tip } = this.change.session;
    const fresh = extension.headers.slice(first);
    const fork = new ForkHeaders({ reader, tip, rules, proofOfStake, common }, fresh);
    const mayForge = fork.scriptRefusal(0) === undefined && fork.balanceRefusal(0) === undefined;
    const judged = mayForge ? fresh : fresh.slice(0, 1);
    const wrong = judged.findIndex((_, index) => fork.headerRefusal(index) !== undefined);
    const end = wrong < 0 ? judged.length : wrong + 1;
    for (let index = 0; index < end; index++) {
      const signature = extension.signature(first + index);
      if (signature === undefined) return { kind: "unchecked", from: first + index, to: first + end };
      if (typeof signature === "string") return { kind: "malformed", refusal: genericRefusal(signature) };
      if (!signature) return resultOf(signatureRefusal(blockText(fresh[index])), fresh[index], true);
    }
    for (let index = 0; index < end; index++) {
      if (this.pace.isDue) await this.change.turn();
      const refusal =
        fork.scriptRefusal(index) ??
        fork.balanceRefusal(index) ??
        (index === wrong ? fork.headerRefusal(index) : undefined) ??
        fork.delayRefusal(index);
      if (refusal !== undefined) return resultOf(refusal, fresh[index], !(uponMicroBlock && index === 0));
    }
    return undefined;
  }

  /** Appends the blocks, to what is left when ours behind the common one are gone. */
  private async follow({ first, common, uponMicroBlock }: Plan): Promise<ExtensionResult> {
    const { headers } = this.extension;
    await this.removeAfter(common);
    for (let number = first; number < headers.length; number++) {
      if (this.change.isFull) await this.change.commitPart();
      // Without a pause otherwise: even one that only lets promises go on is one in which others ask.
      if (this.pace.isDue) await this.yieldToForging();
      const given = this.extension.block(number, this.pace);
      const offered = given instanceof Promise ? await given : given;
      if (given instanceof Promise) this.change.session.resume();
      if (typeof offered === "string") return { kind: "malformed", refusal: genericRefusal(offered) };
      const appending = this.append(offered);
      const refusal = appending instanceof Promise ? await appending : appending;
      if (refusal !== undefined)
        return resultOf(refusal, offered.block, !(uponMicroBlock && number === first));
      for (const finishing = this.change.session.finishing(); finishing.next().done !== true; )
        if (this.pace.isDue) await this.change.turn();
    }
    const { height, score } = this.change.session.tip;
    return { kind: "applied", height, score, blocks: headers.length - first };
  }

  /** Records how to restore our chain, then undoes our blocks after the common one. */
  private async removeAfter(common: Uint8Array): Promise<void> {
    const { change } = this;
    const { session } = change;
    const { batch, tip, lastUnit } = session;
    const target = this.dependencies.blocks.removalTarget(session, common);
    const { height, sequence } = batch.get(tables.blockIds, common) ?? tip;
    const isTip = target === undefined && bytesEqual(common, tip.id);
    // If our common block was persisted without a child, that is undone too: its new child persists it.
    const end = target === undefined ? sequence : PERSIST_SEQUENCE - 1;
    change.beginAt(switchStart(session, isTip ? lastUnit : { height, sequence: end }));
    if (target === undefined) return;
    while (isAfter(change.session.lastUnit, target)) {
      if (change.isFull) await change.commitPart(true);
      if (this.pace.isDue) await this.yieldToForging();
      change.weighed((current) => current.undoing(target).next());
    }
    change.session.persistTip();
  }

  private append(offered: OfferedBlock): BlockRefusal | undefined | Promise<BlockRefusal | undefined> {
    const { block, signature } = offered;
    if (signature !== true && !isBlockSigned(block)) return signatureRefusal(blockText(block));
    const { session } = this.change;
    const refusal = this.dependencies.blocks.admit(session, block);
    if (refusal !== undefined) return refusal;
    const runs = scriptRuns(session.ledger, block.transactions, session.tip.height + 1);
    // A single one is not worth to be made away from this thread.
    if (runs.length < 2) return this.process(offered);
    return this.extension.scripts(runs, this.pace).then(() => {
      session.resume();
      return this.process(offered);
    });
  }

  /** Appends a block that its generator could make. */
  private process({ block, verdicts }: OfferedBlock): BlockRefusal | undefined {
    const appended = this.change.weighed((session) =>
      this.dependencies.blocks.process(session, block, { verdicts, signature: true }),
    );
    return appended.ok ? undefined : appended.refusal;
  }

  /**
   * Gives other work its turn.
   * @throws PreemptedError if a block of ours is due
   */
  private async yieldToForging(): Promise<void> {
    await this.change.turn();
    const { queue } = this.dependencies.writer;
    if (this.isPreemptible && queue.hasUrgent && this.change.canBeRepeated) throw new PreemptedError();
  }
}

/** @param uponItsParent whether what the block refers to is the same for everybody */
function resultOf(
  refusal: BlockRefusal,
  block: Block | BlockHeader,
  uponItsParent: boolean,
): ExtensionResult {
  if (refusal.isOurs) return { kind: "unable", error: new Error(refusal.text) };
  if (refusal.kind === "BlockFromFuture") return fromFuture(block);
  // Anybody can put another block's id under bytes that it does not belong to.
  const remember = uponItsParent && refusal.kind !== "InvalidSignature";
  return { kind: "bad block", id: block.signature, refusal, remember };
}
