import type { BlockHeader, BlockScan } from "../../blocks/block.ts";
import type { ScriptRun } from "../../ledger/script-verdicts.ts";
import type { NetworkRules } from "../../transactions/index.ts";
import { CheckerError } from "../../verification/batch-checker.ts";
import { checkedBlock } from "../../verification/checked-block.ts";
import type { Verifier } from "../../verification/verifier.ts";
import type { Chain, Extension, ExtensionLimits, ExtensionResult, OfferedBlock } from "../chain.ts";
import type { ChainEvidence } from "../deciding/extension-rules.ts";
import type { Pace } from "../writing/pace.ts";
import { BlockSignatures } from "./block-signatures.ts";
import type { SourceBlock } from "./block-source.ts";
import { BatchMemory, type InFlight, ReadAhead } from "./read-ahead.ts";

/** A block as a peer sent it. Its bytes belong to nobody else. */
export interface SentBlock {
  readonly bytes: Uint8Array;
  readonly scan: BlockScan;
  /** The block's own signature was found valid on arrival. Otherwise it is checked before anything is undone. */
  readonly isSigned?: true | undefined;
}

/** An extension whose signatures are being checked. Each is to be applied or dropped, once. */
export interface OfferedExtension {
  /**
   * Takes it into the chain, when those that were applied before are done. What it did follows from the result.
   * @param onEvidence see `ExtensionLimits`
   * @throws what is a fault of this node: nobody is to blame for that either
   */
  apply(onEvidence?: (evidence: ChainEvidence) => void): Promise<ExtensionResult>;
  /** Gives it up. Nothing happens where `apply` was called. */
  drop(): void;
}

/** Batches that one extension may have checked ahead: while one is applied the next is checked. */
const BATCHES = 4;

/**
 * Where blocks of peers come in that may replace blocks of ours. Signatures are checked in threads from the moment an
 * extension is offered, ahead of the writer, some 30 blocks of 300 transactions of each; so one may be offered while
 * another is applied. How many are offered at a time, and how many bytes they hold, is the caller's to bound.
 */
export class ExtensionIntake {
  private memory = new BatchMemory();
  /** Extensions that are neither applied nor dropped. */
  private open = 0;

  constructor(
    private readonly chain: Pick<Chain, "acceptExtension" | "heightOf">,
    private readonly verifier: Verifier,
    private readonly network: NetworkRules,
    private readonly limits: ExtensionLimits,
  ) {}

  /** @param blocks consecutive ones of one peer, oldest first; leading ones may be known */
  offer(blocks: readonly SentBlock[]): OfferedExtension {
    const { chain, verifier, network, limits } = this;
    const extension = new SentExtension(
      blocks,
      (source) => new ReadAhead(source, verifier, { batches: BATCHES, memory: this.memory }),
      new BlockSignatures(blocks, verifier, network),
      network,
    );
    const fresh = blocks.findIndex(({ scan }) => chain.heightOf(scan.header.signature) === undefined);
    if (fresh >= 0) extension.begin(fresh);
    this.open++;
    let isTaken = false;
    const end = (): void => {
      extension.end();
      // Between two storms the memory is nobody's.
      if (--this.open === 0) this.memory = new BatchMemory();
    };
    return {
      apply: async (onEvidence) => {
        if (isTaken) throw new RangeError("An extension is applied or dropped once");
        isTaken = true;
        try {
          return await chain.acceptExtension(extension, { ...limits, onEvidence });
        } catch (error) {
          if (error instanceof CheckerError) return { kind: "unable", error };
          throw error;
        } finally {
          end();
        }
      },
      drop: () => {
        if (!isTaken) end();
        isTaken = true;
      },
    };
  }
}

/** Blocks of a peer on their way through the checks. */
class SentExtension implements Extension {
  readonly headers: readonly BlockHeader[];
  private reader: ReadAhead | undefined;
  private batch: InFlight | undefined;
  /** Where in the batch the next block stands, and its number. */
  private at = 0;
  private next = 0;

  constructor(
    private readonly blocks: readonly SentBlock[],
    private readonly readerOf: (source: { next(): SourceBlock | undefined }) => ReadAhead,
    private readonly signatures: BlockSignatures,
    private readonly network: NetworkRules,
  ) {
    this.headers = blocks.map(({ scan }) => scan.header);
  }

  /** Has the blocks from a number on checked. */
  begin(number: number): void {
    this.end();
    this.next = number;
    let given = number;
    this.reader = this.readerOf({
      next: () => {
        const block = this.blocks[given];
        return block && { ...block, height: given, end: ++given };
      },
    });
    this.reader.begin();
  }

  end(): void {
    if (this.batch !== undefined) this.reader?.release(this.batch);
    this.batch = undefined;
    this.reader?.end();
    this.reader = undefined;
  }

  block(number: number, pace: Pace): OfferedBlock | string | Promise<OfferedBlock | string> {
    // Since it was offered the chain may have got one of the blocks, or lost one.
    if (this.reader === undefined || number < this.next) this.begin(number);
    if (number === this.next && this.batch !== undefined && this.at < this.batch.blocks.length)
      return this.take(this.batch);
    return this.waitFor(number, pace);
  }

  signature(number: number): boolean | string | undefined {
    return this.signatures.of(number);
  }

  checkSignatures(from: number, to: number, pace: Pace): Promise<void> {
    return this.signatures.check(from, to, pace);
  }

  async scripts(runs: readonly ScriptRun[], pace: Pace): Promise<void> {
    await this.reader?.scripts(runs, pace);
  }

  private async waitFor(number: number, pace: Pace): Promise<OfferedBlock | string> {
    for (;;) {
      if (this.batch === undefined) {
        const batch = await this.reader?.next();
        if (batch === undefined) throw new RangeError(`There is no block ${number}`);
        await this.reader?.checked(batch, pace);
        this.batch = batch;
        this.at = 0;
      }
      const skipped = Math.min(number - this.next, this.batch.blocks.length - this.at);
      this.at += skipped;
      this.next += skipped;
      if (this.at < this.batch.blocks.length) return this.take(this.batch);
      this.reader?.release(this.batch);
      this.batch = undefined;
    }
  }

  private take({ batch, blocks }: InFlight): OfferedBlock | string {
    const number = this.at++;
    this.next++;
    const checked = checkedBlock(batch, number, blocks[number], this.network);
    if (typeof checked === "string") return checked;
    return { block: checked.block, signature: checked.signed || undefined, verdicts: checked.verdicts };
  }
}
