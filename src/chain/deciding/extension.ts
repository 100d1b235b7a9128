import { type Block, type BlockHeader, blockBytes, isBlockSigned } from "../../blocks/block.ts";
import { bytesEqual } from "../../bytes/compare.ts";
import type { Clock } from "../../interfaces.ts";
import type { LedgerRules } from "../../ledger/era.ts";
import { type ScriptRun, scriptRuns } from "../../ledger/script-verdicts.ts";
import { DiskError } from "../../storage/disk-error.ts";
import type { UnitKey } from "../../storage/places.ts";
import { PERSIST_SEQUENCE } from "../../storage/write-batch.ts";
import { Pace } from "../writing/pace.ts";
import type { Checked } from "../writing/session.ts";
import { ChainBusyError, ChainClosedError, type WriteQueue } from "../writing/write-queue.ts";
import type { ChainWriter, OpenChange } from "../writing/writer.ts";
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
   * Whether the generator signed a block; a text: why its bytes cannot be read; undefined: not checked yet. It costs a
   * look-up.
   */
  signature(number: number): boolean | string | undefined;
  /** Has the signatures of blocks from a number to before another one checked that are not yet. */
  checkSignatures(from: number, to: number, pace: Pace): Promise<void>;
  /** Has scripts run on transactions of its blocks, which remember what was said. */
  scripts(runs: readonly ScriptRun[], pace: Pace): Promise<void>;
}

export interface ExtensionDependencies {
  readonly writer: ChainWriter;
  /** Extensions come one after the other, also while one of them waits for signatures and others write. */
  readonly order: WriteQueue;
  readonly blocks: BlockRules;
  readonly checkpoints: CheckpointList;
  readonly proofOfStake: ProofOfStake;
  readonly rules: LedgerRules;
  readonly clock: Clock;
}

/** Signatures of blocks are to be checked, and then it is judged anew. */
interface Unchecked {
  readonly kind: "unchecked";
  /** Numbers of the blocks, the second one excluded. */
  readonly from: number;
  readonly to: number;
}

/** A block of ours is due, and comes first. */
class PreemptedError extends Error {
  override readonly name = "PreemptedError";
}

/** How often a block of ours may come before an extension that reverts some: after that the extension is finished. */
const MAX_PREEMPTIONS = 2;

/**
 * How much of an extension that only adds is one commit at most, in transactions and in bytes of blocks: some 50 ms, in
 * which nobody else has this thread. That is about what a peer's answer names, so that most are one commit.
 */
const COMMIT_WEIGHT = 32_000;
const COMMIT_BYTES = 8 * 1024 * 1024;
/** From this weight on a commit has a turn of its own. */
const LONG_COMMIT = 4_000;
/** What the rows of a block without transactions weigh, as transactions. */
const BLOCK_WEIGHT = 8;

/**
 * Takes consecutive blocks of one peer that may replace blocks of ours, all or none. Page 03 §12.3. Where the reference
 * loses the micro blocks of the liquid block when the extension fails, nothing is lost here.
 *
 * Nothing is undone, and no transaction is looked at, before the signatures and headers of all of its blocks were found
 * good (`fork-headers.ts`), and their computed score is above ours. Others write while signatures are waited for.
 *
 * What reverts anything of ours is one commit, which a kill cannot tear. A long extension that only adds becomes several,
 * each of which leaves a chain that is better than the one before; when it fails they are undone.
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
  const chances = { preemptions: MAX_PREEMPTIONS };
  try {
    const end = await order.take();
    try {
      for (;;) {
        const result = await attempt(dependencies, extension, limits, pace, chances);
        if (result.kind === "preempted") continue;
        if (result.kind !== "unchecked") return result;
        await extension.checkSignatures(result.from, result.to, pace);
        if (extension.signature(result.from) === undefined)
          throw new RangeError("A signature was not checked");
      }
    } finally {
      end();
    }
  } catch (error) {
    if (error instanceof ChainBusyError || error instanceof ChainClosedError || error instanceof DiskError)
      return { kind: "unable", error };
    throw error;
  }
}

/** Takes an extension as far as it goes while nobody else writes. */
async function attempt(
  dependencies: ExtensionDependencies,
  extension: Extension,
  limits: ExtensionLimits,
  pace: Pace,
  chances: { preemptions: number },
): Promise<ExtensionResult | Unchecked | { readonly kind: "preempted" }> {
  const release = await dependencies.writer.queue.take();
  pace.resumed();
  try {
    return await new Attempt(dependencies, extension, limits, pace, chances.preemptions > 0).run();
  } catch (error) {
    if (!(error instanceof PreemptedError)) throw error;
    chances.preemptions--;
    return { kind: "preempted" };
  } finally {
    release();
  }
}

/** One extension on its way into the chain. */
class Attempt {
  private open: OpenChange;
  /** What was appended, or undone, since the last commit. */
  private weight = 0;
  private bytes = 0;
  /** The newest unit of the chain as it was, once something was committed. */
  private before: UnitKey | undefined;

  constructor(
    private readonly dependencies: ExtensionDependencies,
    private readonly extension: Extension,
    private readonly limits: ExtensionLimits,
    private readonly pace: Pace,
    /** Whether a block of ours that is due ends it. */
    private readonly isPreemptible: boolean,
  ) {
    this.open = this.begin();
  }

  /** @throws PreemptedError when it was given up for a block of ours */
  async run(): Promise<ExtensionResult | Unchecked> {
    const { checkpoints, clock } = this.dependencies;
    let result: ExtensionResult | Unchecked;
    let isLong = false;
    try {
      const { batch, tip } = this.open.session;
      const judged = { reader: batch, tip, checkpoints, now: clock.now() };
      const plan = judgeExtension(judged, this.extension.headers, this.limits);
      result = plan.kind === "plan" ? await this.take(plan) : plan;
      isLong = this.weight >= LONG_COMMIT;
      if (result.kind === "applied" && isLong) await this.turn();
    } catch (error) {
      this.open.abandon();
      throw error;
    }
    if (result.kind === "applied") {
      this.open.commit();
      // The next one may wait behind this.
      if (isLong) await this.pace.rest();
    } else {
      this.open.abandon();
      await this.takeBack();
    }
    return result;
  }

  /** Takes the blocks if their headers and signatures prove that they may be better than ours. */
  private async take(plan: Plan): Promise<ExtensionResult | Unchecked> {
    const unfit = await this.examine(plan);
    if (unfit !== undefined) return unfit;
    const { height, score } = plan;
    this.limits.onEvidence?.({ height, score });
    return this.follow(plan);
  }

  /**
   * Checks headers and signatures, the cheapest first. What costs no more than a hash says how far it is worth looking;
   * to that point signatures and stakes are checked in the order of the blocks, so that a refusal is the one that the
   * first bad block deserves. Page 03 §12.3 step 1, §12.4 rows 2 to 9.
   */
  private async examine({
    first,
    common,
    uponMicroBlock,
  }: Plan): Promise<ExtensionResult | Unchecked | undefined> {
    const { extension } = this;
    const { rules, proofOfStake } = this.dependencies;
    const { batch: reader, tip } = this.open.session;
    const fresh = extension.headers.slice(first);
    const fork = new ForkHeaders({ reader, tip, rules, proofOfStake, common }, fresh);
    const wrong = fresh.findIndex((_, index) => fork.headerRefusal(index) !== undefined);
    const end = wrong < 0 ? fresh.length : wrong + 1;
    for (let index = 0; index < end; index++) {
      const signature = extension.signature(first + index);
      if (signature === undefined) return { kind: "unchecked", from: first + index, to: first + end };
      if (typeof signature === "string") return { kind: "malformed", refusal: genericRefusal(signature) };
      if (!signature) return resultOf(signatureRefusal(blockText(fresh[index])), fresh[index], true);
    }
    for (let index = 0; index < end; index++) {
      if (this.pace.isDue) await this.turn();
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
    const { blocks } = this.dependencies;
    const { headers } = this.extension;
    const onlyAdds = bytesEqual(common, this.open.session.tip.id);
    const turn = (): Promise<void> => (onlyAdds ? this.turn() : this.yieldToForging());
    for (const removing = blocks.removing(this.open.session, common); removing.next().done !== true; )
      if (this.pace.isDue) await turn();
    for (let number = first; number < headers.length; number++) {
      if (onlyAdds && this.isFull) {
        await this.turn();
        this.commitPart();
      }
      // Without a pause otherwise: even one that only lets promises go on is one in which others ask.
      if (this.pace.isDue) await turn();
      const given = this.extension.block(number, this.pace);
      const offered = given instanceof Promise ? await given : given;
      if (given instanceof Promise) this.open.session.resume();
      if (typeof offered === "string") return { kind: "malformed", refusal: genericRefusal(offered) };
      const appending = this.append(offered);
      const refusal = appending instanceof Promise ? await appending : appending;
      if (refusal !== undefined)
        return resultOf(refusal, offered.block, !(uponMicroBlock && number === first));
      for (const finishing = this.open.session.finishing(); finishing.next().done !== true; )
        if (this.pace.isDue) await this.turn();
    }
    const { height, score } = this.open.session.tip;
    return { kind: "applied", height, score, blocks: headers.length - first };
  }

  private append(offered: OfferedBlock): BlockRefusal | undefined | Promise<BlockRefusal | undefined> {
    const { block, signature } = offered;
    if (signature !== true && !isBlockSigned(block)) return signatureRefusal(blockText(block));
    const { session } = this.open;
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
    const { session } = this.open;
    const appended = this.dependencies.blocks.process(session, block, { verdicts, signature: true });
    if (!appended.ok) return appended.refusal;
    this.weight += BLOCK_WEIGHT + block.transactions.length;
    this.bytes += blockBytes(block).length;
    return undefined;
  }

  private get isFull(): boolean {
    return this.weight >= COMMIT_WEIGHT || this.bytes >= COMMIT_BYTES;
  }

  /** Lets others have their turn. */
  private async turn(): Promise<void> {
    await this.pace.turn();
    this.open.session.resume();
  }

  /** The same, and gives up if a block of ours is due, which the score of the extension has not beaten yet. */
  private async yieldToForging(): Promise<void> {
    await this.turn();
    if (this.isPreemptible && this.dependencies.writer.queue.isUrgent) throw new PreemptedError();
  }

  private begin(): OpenChange {
    this.weight = 0;
    this.bytes = 0;
    // The right to write is held beyond the commit.
    return this.dependencies.writer.begin(() => {});
  }

  private commitPart(): void {
    const { tip } = this.dependencies.writer;
    this.before ??= { height: tip.height, sequence: tip.liquid ? tip.sequence : PERSIST_SEQUENCE };
    this.open.commit();
    this.open = this.begin();
  }

  /** Undoes what was committed, as far as one commit may go at a time. */
  private async takeBack(): Promise<void> {
    const { before } = this;
    if (before === undefined) return;
    for (let isDone = false; !isDone; ) {
      this.open = this.begin();
      try {
        isDone = await this.undoPart(before);
      } catch (error) {
        this.open.abandon();
        throw error;
      }
      this.open.commit();
    }
  }

  /** @returns whether it is as it was before */
  private async undoPart(before: UnitKey): Promise<boolean> {
    const undoing = this.open.session.undoing(before);
    for (;;) {
      this.weight += BLOCK_WEIGHT + this.open.session.tip.transactionCount;
      if (undoing.next().done === true) return true;
      if (this.isFull) return false;
      if (this.pace.isDue) await this.turn();
    }
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
