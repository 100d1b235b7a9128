import { failed, type Result } from "../../errors/result.ts";
import type { ScriptRun } from "../../ledger/scripts/script-verdicts.ts";
import { assumedValid } from "../../ledger/verdicts.ts";
import type { NetworkRules } from "../../transactions/index.ts";
import type { CheckedBlock } from "../../verification/checked-block.ts";
import type { Verifier } from "../../verification/verifier.ts";
import type { BlockGroup, Chain } from "../chain.ts";
import type { BlockSource } from "../checking/block-source.ts";
import { decodeBlock, ReadAhead, type ScannedBlock, type SourceFailure } from "../checking/read-ahead.ts";
import { yieldToEventLoop } from "../writing/time-slice.ts";

export interface ImportProgress {
  readonly height: number;
  readonly transactions: number;
  /** Progress in bytes of a file, or in blocks. */
  readonly done: number;
  readonly total: number;
}

export interface ApplyBlocksOptions {
  readonly verifier: Verifier;
  /** Weight that causes a commit; a transaction has weight 1. */
  readonly commitEvery?: number | undefined;
  readonly progress?: ((progress: ImportProgress) => void) | undefined;
  readonly isStopped?: (() => boolean) | undefined;
}

export interface AppliedBlocks {
  readonly outcome: "complete" | "stopped" | "refused";
  readonly blocks: number;
  readonly transactions: number;
  readonly refused: SourceFailure | undefined;
}

/** Default of `commitEvery`. A commit of this weight needs some 100 MB of memory. */
const WEIGHT_PER_COMMIT = 60_000;
/** A block's own rows take as long to apply as this many transactions. */
const BLOCK_WEIGHT = 8;
/** Until the commit, a block's own rows need the memory of this many transactions. */
const BLOCK_COMMIT_WEIGHT = 32;
const MAX_BYTES_PER_COMMIT = 24 * 1024 * 1024;
/** Weight that is applied between two pauses. */
const WEIGHT_PER_SLICE = 2_500;

/** Adds a block to the group. An error says why it is refused. */
export type ApplyBlock = (
  group: BlockGroup,
  checked: CheckedBlock,
  height: number,
) => Result<unknown, string>;

const appendBlock: ApplyBlock = (group, { block, signed, verdicts }) => {
  const result = group.append(block, { signature: signed || undefined, verdicts });
  return result.ok ? result : failed(result.error.printed);
};

/** Checks blocks in threads and applies them, many per commit. @param total `end` of the last block */
export async function applyBlocks(
  chain: Chain,
  network: NetworkRules,
  source: BlockSource,
  total: number,
  options: ApplyBlocksOptions,
  apply: ApplyBlock = appendBlock,
): Promise<AppliedBlocks> {
  const reader = new ReadAhead(source, options.verifier);
  const writer = new GroupWriter(chain, options.commitEvery ?? WEIGHT_PER_COMMIT, apply);
  const finish = (outcome: AppliedBlocks["outcome"], refused?: SourceFailure): AppliedBlocks => {
    writer.commit();
    return { outcome, blocks: writer.blocks, transactions: writer.transactions, refused };
  };
  try {
    let pauseAt = WEIGHT_PER_SLICE;
    for (let next = await reader.next(); next !== undefined; next = await reader.next()) {
      await reader.waitUntilChecked(next);
      for (const [i, block] of next.blocks.entries()) {
        if (options.isStopped?.() === true) return finish("stopped");
        const checked = decodeBlock(next, i, network);
        if (!checked.ok) return finish("refused", { height: block.height, reason: checked.error });
        const runs = writer.scriptRuns(checked.value);
        if (runs.length > 1) await reader.runScripts(runs);
        const refused = writer.append(block, checked.value);
        if (refused !== undefined) return finish("refused", refused);
        if (writer.appliedWeight >= pauseAt) {
          await yieldToEventLoop();
          pauseAt = writer.appliedWeight + WEIGHT_PER_SLICE;
        }
      }
      const last = next.blocks.at(-1);
      if (last !== undefined)
        options.progress?.({
          height: last.height,
          transactions: writer.transactions,
          done: last.end,
          total,
        });
      reader.release(next);
    }
    return reader.failure === undefined ? finish("complete") : finish("refused", reader.failure);
  } catch (error) {
    writer.abandon();
    throw error;
  }
}

class GroupWriter {
  readonly #chain: Chain;
  readonly #commitEvery: number;
  readonly #apply: ApplyBlock;
  #group: BlockGroup | undefined;
  #weight = 0;
  #bytes = 0;
  blocks = 0;
  transactions = 0;

  get appliedWeight(): number {
    return this.transactions + BLOCK_WEIGHT * this.blocks;
  }

  constructor(chain: Chain, commitEvery: number, apply: ApplyBlock) {
    this.#chain = chain;
    this.#commitEvery = commitEvery;
    this.#apply = apply;
  }

  scriptRuns({ block, verdicts }: CheckedBlock): readonly ScriptRun[] {
    if (verdicts === assumedValid) return [];
    this.#group ??= this.#chain.beginGroup();
    return this.#group.scriptRuns(block.transactions);
  }

  append({ height, bytes }: ScannedBlock, checked: CheckedBlock): SourceFailure | undefined {
    this.#group ??= this.#chain.beginGroup();
    const result = this.#apply(this.#group, checked, height);
    if (!result.ok) return { height, reason: result.error };
    const { length } = checked.block.transactions;
    this.blocks++;
    this.transactions += length;
    this.#weight += length + BLOCK_COMMIT_WEIGHT;
    this.#bytes += bytes.length;
    if (this.#weight >= this.#commitEvery || this.#bytes >= MAX_BYTES_PER_COMMIT) this.commit();
    return undefined;
  }

  commit(): void {
    if (this.#weight === 0) {
      this.abandon();
      return;
    }
    const group = this.#group;
    this.#group = undefined;
    this.#weight = 0;
    this.#bytes = 0;
    group?.commit();
  }

  abandon(): void {
    this.#group?.abandon();
    this.#group = undefined;
  }
}
