import type { BlockHeader, BlockScan } from "../../blocks/block.ts";
import { bytesEqual } from "../../bytes/compare.ts";
import { isSmallOrder } from "../../crypto/ed25519.ts";
import { ok, type Result } from "../../errors/result.ts";
import type { Log } from "../../interfaces.ts";
import type { ScriptRun } from "../../ledger/scripts/script-verdicts.ts";
import { assumedValid } from "../../ledger/verdicts.ts";
import type { NetworkRules } from "../../transactions/index.ts";
import { CheckerError } from "../../verification/batch-checker.ts";
import type { VerificationBatch } from "../../verification/verification-batch.ts";
import type { Verifier } from "../../verification/verifier.ts";
import type { Chain, Extension, ExtensionLimits, ExtensionResult } from "../chain.ts";
import type { DecodedBlock } from "../deciding/extension.ts";
import type { ChainEvidence } from "../deciding/extension-rules.ts";
import type { AssumedBlock } from "../reading/unchecked.ts";
import type { TimeSlice } from "../writing/time-slice.ts";
import { BlockSignatures } from "./block-signatures.ts";
import type { SourceBlock } from "./block-source.ts";
import { type BatchInFlight, decodeBlock, ReadAhead, type ReadAheadOptions } from "./read-ahead.ts";

/** A block of a peer. Its bytes must not change. */
export interface ReceivedBlock {
  readonly bytes: Uint8Array;
  readonly scan: BlockScan;
  /** True if the block's own signature was valid on arrival. */
  readonly isSigned?: true | undefined;
  /** The block of `--assume-valid`, if the peer has it. */
  readonly assumed?: AssumedBlock | undefined;
}

/** An extension whose signatures are being verified. Call either `apply` or `drop`. */
export interface OfferedExtension {
  /**
   * @param onEvidence see `ExtensionLimits`
   * @throws an error that this node caused, not a peer
   */
  apply(onEvidence?: (evidence: ChainEvidence) => void): Promise<ExtensionResult>;
  drop(): void;
}

const MAX_BATCHES = 4;

/** Verifies extensions in threads, some 30 blocks of 300 transactions ahead of the writer. */
export class ExtensionIntake {
  readonly #chain: Pick<Chain, "acceptExtension" | "heightOf">;
  readonly #verifier: Verifier;
  readonly #network: NetworkRules;
  readonly #limits: ExtensionLimits;
  readonly #log: Log | undefined;
  #freeBatches: VerificationBatch[] = [];
  #openExtensions = 0;

  constructor(
    chain: Pick<Chain, "acceptExtension" | "heightOf">,
    verifier: Verifier,
    network: NetworkRules,
    limits: ExtensionLimits,
    log?: Log,
  ) {
    this.#chain = chain;
    this.#verifier = verifier;
    this.#network = network;
    this.#limits = limits;
    this.#log = log;
  }

  offer(blocks: readonly ReceivedBlock[]): OfferedExtension {
    const chain = this.#chain;
    const extension = new ReceivedExtension(
      blocks,
      this.#verifier,
      this.#network,
      {
        maxBatches: MAX_BATCHES,
        freeBatches: this.#freeBatches,
        log: this.#log,
      },
      (id) => chain.heightOf(id) !== undefined,
    );
    const firstNew = blocks.findIndex(({ scan }) => chain.heightOf(scan.header.signature) === undefined);
    if (firstNew >= 0) extension.begin(firstNew);
    this.#openExtensions++;
    let isSettled = false;
    const end = (): void => {
      extension.end();
      if (--this.#openExtensions === 0) this.#freeBatches = [];
    };
    return {
      apply: async (onEvidence) => {
        if (isSettled) throw new RangeError("Extension was already applied or dropped");
        isSettled = true;
        try {
          return await chain.acceptExtension(extension, { ...this.#limits, onEvidence });
        } catch (error) {
          if (error instanceof CheckerError) return { kind: "unable", error };
          throw error;
        } finally {
          end();
        }
      },
      drop: () => {
        if (!isSettled) end();
        isSettled = true;
      },
    };
  }
}

class ReceivedExtension implements Extension {
  readonly headers: readonly BlockHeader[];
  readonly #blocks: readonly ReceivedBlock[];
  readonly #verifier: Verifier;
  readonly #network: NetworkRules;
  readonly #options: ReadAheadOptions;
  readonly #isOnChain: (id: Uint8Array) => boolean;
  readonly #signatures: BlockSignatures;
  #reader: ReadAhead | undefined;
  #batch: BatchInFlight | undefined;
  #indexInBatch = 0;
  #nextNumber = 0;

  constructor(
    blocks: readonly ReceivedBlock[],
    verifier: Verifier,
    network: NetworkRules,
    options: ReadAheadOptions,
    isOnChain: (id: Uint8Array) => boolean,
  ) {
    this.headers = blocks.map(({ scan }) => scan.header);
    this.#blocks = blocks;
    this.#verifier = verifier;
    this.#network = network;
    this.#options = options;
    this.#isOnChain = isOnChain;
    this.#signatures = new BlockSignatures(blocks, verifier, network);
  }

  begin(number: number): void {
    this.end();
    this.#nextNumber = number;
    let nextNumber = number;
    const assumed = this.#blocks[number]?.assumed;
    // Once our chain contains the block of `--assume-valid`, peers' blocks are no longer trusted.
    const mayTrust = assumed !== undefined && !this.#isOnChain(assumed.id);
    const source = {
      next: (): SourceBlock | undefined => {
        const block = this.#blocks[nextNumber];
        if (block === undefined) return undefined;
        const isTrusted = (mayTrust && mayLeadTo(assumed, block.scan.header)) || undefined;
        return { ...block, isTrusted, height: nextNumber, end: ++nextNumber };
      },
    };
    this.#reader = new ReadAhead(source, this.#verifier, this.#options);
    this.#reader.prefetch();
  }

  end(): void {
    if (this.#batch !== undefined) this.#reader?.release(this.#batch);
    this.#batch = undefined;
    this.#reader?.cancel();
    this.#reader = undefined;
  }

  block(number: number, slice: TimeSlice): DecodedBlock | Promise<DecodedBlock> {
    // If the chain has changed since `offer`, it may need an earlier block.
    if (this.#reader === undefined || number < this.#nextNumber) this.begin(number);
    if (
      number === this.#nextNumber &&
      this.#batch !== undefined &&
      this.#indexInBatch < this.#batch.blocks.length
    )
      return this.#decode(this.#batch);
    return this.#waitFor(number, slice);
  }

  signature(number: number): Result<boolean, string> | undefined {
    return this.#signatures.result(number);
  }

  checkSignatures(from: number, to: number, slice: TimeSlice): Promise<void> {
    return this.#signatures.check(from, to, slice);
  }

  async runScripts(runs: readonly ScriptRun[], slice: TimeSlice): Promise<void> {
    await this.#reader?.runScripts(runs, slice);
  }

  async #waitFor(number: number, slice: TimeSlice): Promise<DecodedBlock> {
    for (;;) {
      if (this.#batch === undefined) {
        const batch = await this.#reader?.next();
        if (batch === undefined) throw new RangeError(`No block ${number} in the extension`);
        await this.#reader?.waitUntilChecked(batch, slice);
        this.#batch = batch;
        this.#indexInBatch = 0;
      }
      const skipped = Math.min(number - this.#nextNumber, this.#batch.blocks.length - this.#indexInBatch);
      this.#indexInBatch += skipped;
      this.#nextNumber += skipped;
      if (this.#indexInBatch < this.#batch.blocks.length) return this.#decode(this.#batch);
      this.#reader?.release(this.#batch);
      this.#batch = undefined;
    }
  }

  #decode(batch: BatchInFlight): DecodedBlock {
    const number = this.#nextNumber++;
    const checked = decodeBlock(batch, this.#indexInBatch++, this.#network);
    if (!checked.ok) return checked;
    const { block, signed, verdicts } = checked.value;
    if (verdicts !== assumedValid) return ok({ block, signature: signed || undefined, verdicts });
    // Only the transactions are trusted: the block's own signature must prove content and parent.
    const signature = this.#signatures.result(number);
    const isSigned = (signature?.ok === true && signature.value) || undefined;
    return ok({ block, signature: isSigned, verdicts, assumed: this.#blocks[number].assumed });
  }
}

/**
 * Returns true if a block may be the assumed one or its ancestor. Excludes keys of small order, which can sign two
 * blocks with one signature.
 */
function mayLeadTo({ id, timestamp }: AssumedBlock, header: BlockHeader): boolean {
  const isBefore = header.timestamp < timestamp || bytesEqual(header.signature, id);
  return isBefore && !isSmallOrder(header.generator);
}
