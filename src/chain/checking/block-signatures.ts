import { isBlockSigned } from "../../blocks/block.ts";
import { ok, type Result } from "../../errors/result.ts";
import type { NetworkRules } from "../../transactions/index.ts";
import { readBlock, type ScannedBytes } from "../../verification/checked-block.ts";
import { VerificationBatch } from "../../verification/verification-batch.ts";
import type { BatchStream, Verifier } from "../../verification/verifier.ts";
import type { TimeSlice } from "../writing/time-slice.ts";

/** Limits of a batch; several full blocks fit. */
const MAX_BATCH_BYTES = 4 * 1024 * 1024;
const MAX_BATCH_BLOCKS = 512;

interface UncheckedBlock extends ScannedBytes {
  readonly isSigned?: true | undefined;
}

/** Checks block signatures, but not transactions, in threads. */
export class BlockSignatures {
  readonly #blocks: readonly UncheckedBlock[];
  readonly #network: NetworkRules;
  readonly #stream: BatchStream;
  readonly #results: (Result<boolean, string> | undefined)[];

  constructor(blocks: readonly UncheckedBlock[], verifier: Verifier, network: NetworkRules) {
    this.#blocks = blocks;
    this.#network = network;
    this.#stream = verifier.stream();
    this.#results = blocks.map(({ isSigned }) => isSigned && ok(isSigned));
  }

  /** Returns undefined before the check. An error says why the bytes are unreadable. */
  result(number: number): Result<boolean, string> | undefined {
    return this.#results[number];
  }

  /**
   * Checks the blocks [from, to). Stops after the first batch with an invalid signature.
   * @throws CheckerError, and what `slice` throws
   */
  async check(from: number, to: number, slice: TimeSlice): Promise<void> {
    for (let number = from; number < to; ) {
      const numbers = this.#batchFrom(number, to);
      if (numbers.length > 0) await this.#checkBatch(numbers, slice);
      if (!numbers.every((checked) => isValid(this.#results[checked]))) return;
      number = (numbers.at(-1) ?? to) + 1;
    }
  }

  #batchFrom(from: number, to: number): readonly number[] {
    const numbers: number[] = [];
    let bytes = 0;
    for (let number = from; number < to && numbers.length < MAX_BATCH_BLOCKS; number++) {
      if (this.#results[number] !== undefined) continue;
      bytes += this.#blocks[number].scan.length;
      if (numbers.length > 0 && bytes > MAX_BATCH_BYTES) break;
      numbers.push(number);
    }
    return numbers;
  }

  async #checkBatch(numbers: readonly number[], slice: TimeSlice): Promise<void> {
    const blocks = numbers.map((number) => this.#blocks[number]);
    const bytes = blocks.reduce((sum, { scan }) => sum + scan.length, 0);
    const batch = VerificationBatch.create({ bytes, blocks: blocks.length, transactions: 0 });
    batch.clear();
    for (const { bytes, scan } of blocks) batch.addBlock(bytes.subarray(0, scan.length));
    const checked = this.#stream.check(batch);
    // Avoids an unhandled rejection until the await below.
    checked.catch(() => {});
    while (!this.#stream.assist(batch, () => slice.isOver)) await slice.yield();
    await checked;
    slice.restart();
    for (let i = 0; i < numbers.length; i++) {
      this.#results[numbers[i]] = batch.isSigned(i)
        ? ok(true)
        : isCanonicallySigned(blocks[i], this.#network);
    }
  }
}

function isValid(signature: Result<boolean, string> | undefined): boolean {
  return signature?.ok === true && signature.value;
}

/** Checks the signature of the canonical bytes: the received ones may differ. */
function isCanonicallySigned(block: ScannedBytes, network: NetworkRules): Result<boolean, string> {
  const read = readBlock(block, network);
  return read.ok ? ok(isBlockSigned(read.value.block)) : read;
}
