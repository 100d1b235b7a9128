/** Signature checks of downloaded blocks. Page 03 §12.4. */
import type { ReceivedBlock } from "../../chain/checking/extension-intake.ts";
import type { Log } from "../../interfaces.ts";
import type { NetworkRules } from "../../transactions/index.ts";
import type { Preverifier } from "../../verification/ahead.ts";

const MAX_RUNNING_CHECKS = 64;
/** Maximum bytes in check; a larger block is checked alone. */
const MAX_CHECKED_BYTES = 4 * 2 ** 20;

interface ArrivalCheckDependencies {
  readonly checks: Preverifier;
  readonly rules: NetworkRules;
  readonly log: Log;
}

interface WaitingBlock {
  readonly source: string;
  readonly block: ReceivedBlock;
  readonly resolve: (checked: ReceivedBlock | undefined) => void;
}

export class ArrivalChecks {
  readonly #dependencies: ArrivalCheckDependencies;
  readonly #waiting: WaitingBlock[] = [];
  #runningChecks = 0;
  #checkedBytes = 0;

  constructor(dependencies: ArrivalCheckDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * The caller limits the bytes of waiting blocks.
   * @param source label of the peer
   * @returns the block with `isSigned`, or unchanged if no thread can check it now; undefined if its signature is
   * invalid
   */
  check(source: string, block: ReceivedBlock): Promise<ReceivedBlock | undefined> {
    return new Promise((resolve) => {
      this.#waiting.push({ source, block, resolve });
      this.#startChecks();
    });
  }

  /** Drops waiting blocks. Their promises never settle. */
  clear(): void {
    this.#waiting.length = 0;
  }

  #startChecks(): void {
    for (let [first] = this.#waiting; first !== undefined; [first] = this.#waiting) {
      const { length } = first.block.bytes;
      const isFull =
        this.#runningChecks >= MAX_RUNNING_CHECKS || this.#checkedBytes + length > MAX_CHECKED_BYTES;
      if (isFull && this.#runningChecks > 0) return;
      this.#waiting.shift();
      this.#runningChecks++;
      this.#checkedBytes += length;
      void this.#check(first)
        .catch((error: unknown) => {
          // The chain will check the block.
          this.#dependencies.log.error("Cannot check the signature of a block", { error });
          return first.block;
        })
        .then((checked) => {
          this.#runningChecks--;
          this.#checkedBytes -= length;
          first.resolve(checked);
          this.#startChecks();
        });
    }
  }

  async #check({ source, block }: WaitingBlock): Promise<ReceivedBlock | undefined> {
    const { checks, rules } = this.#dependencies;
    const signed = await checks.isReceivedSigned(source, block, rules);
    if (signed === undefined) return block;
    return signed ? { ...block, isSigned: true } : undefined;
  }
}
