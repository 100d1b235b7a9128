/** Whether blocks are signed, found out when they arrive. Page 03 §12.4. */
import { BlockParseError, blockBytes, scannedBlock } from "../../blocks/index.ts";
import { parseTransactionsAt } from "../../blocks/transactions-section.ts";
import type { SentBlock } from "../../chain/checking/extension-intake.ts";
import type { Log } from "../../interfaces.ts";
import type { NetworkRules } from "../../transactions/index.ts";
import { isSignedAhead, type SignatureChecks } from "../signature-checks.ts";

/** Blocks and bytes that the threads have at a time; the others wait here. The verifier takes 8 MiB of a peer. */
const MAX_IN_CHECK = 64;
const MAX_BYTES_IN_CHECK = 4 * 2 ** 20;

export interface ArrivalCheckDependencies {
  readonly checks: SignatureChecks;
  readonly rules: NetworkRules;
  readonly log: Log;
}

interface Waiting {
  readonly source: string;
  readonly block: SentBlock;
  readonly resolve: (checked: SentBlock | undefined) => void;
}

/** Has the signatures of blocks checked in the threads, in the order in which they arrive. */
export class ArrivalChecks {
  readonly #dependencies: ArrivalCheckDependencies;
  readonly #waiting: Waiting[] = [];
  #count = 0;
  #bytes = 0;

  constructor(dependencies: ArrivalCheckDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Checks the signature of a block. It is for the caller to bound how many bytes of blocks it holds.
   * @param source the label of the peer
   * @returns the block with `isSigned`, or as it was if no thread can check it now; undefined: it is not signed
   */
  check(source: string, block: SentBlock): Promise<SentBlock | undefined> {
    return new Promise((resolve) => {
      this.#waiting.push({ source, block, resolve });
      this.#next();
    });
  }

  /** Drops what waits: the promises of those blocks stay open. */
  clear(): void {
    this.#waiting.length = 0;
  }

  #next(): void {
    for (let [first] = this.#waiting; first !== undefined; [first] = this.#waiting) {
      const { length } = first.block.bytes;
      const isFull = this.#count >= MAX_IN_CHECK || this.#bytes + length > MAX_BYTES_IN_CHECK;
      if (isFull && this.#count > 0) return;
      this.#waiting.shift();
      this.#count++;
      this.#bytes += length;
      void this.#check(first)
        .catch((error: unknown) => {
          // A fault of this node: the chain decides about the block.
          this.#dependencies.log.error("The signature of a block could not be checked", { error });
          return first.block;
        })
        .then((checked) => {
          this.#count--;
          this.#bytes -= length;
          first.resolve(checked);
          this.#next();
        });
    }
  }

  async #check({ source, block }: Waiting): Promise<SentBlock | undefined> {
    const { checks, rules, log } = this.#dependencies;
    const { bytes, scan } = block;
    let signed = await isSignedAhead(checks, source, bytes.subarray(0, scan.length), log);
    if (signed === false) {
      // The signature counts over the bytes that the block is written in, which may differ from those that came.
      const canonical = otherBytes(block, rules);
      if (canonical !== undefined) signed = await isSignedAhead(checks, source, canonical, log);
    }
    if (signed === undefined) return block;
    return signed ? { ...block, isSigned: true } : undefined;
  }
}

/** Returns the bytes that a block is written in, if it came in others and can be read. */
function otherBytes({ bytes, scan }: SentBlock, rules: NetworkRules): Uint8Array | undefined {
  try {
    const transactions = parseTransactionsAt(bytes, scan.offsets, rules);
    const { block, canonical } = scannedBlock(bytes, scan, transactions);
    return canonical ? undefined : blockBytes(block);
  } catch (error) {
    if (error instanceof BlockParseError) return undefined;
    throw error;
  }
}
