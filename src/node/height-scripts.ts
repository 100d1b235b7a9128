/**
 * Transactions of the pool whose scripts read the height are judged anew in threads when it changes: packing then has
 * what they say at hand.
 */
import { MAX_POOL_SCRIPT_WORK } from "../ledger/limits.ts";
import { CheckerError } from "../verification/batch-checker.ts";
import { VerifierBusyError } from "../verification/verifier.ts";
import type { AheadDependencies } from "./scripts-ahead.ts";

/** Transactions asked for at a time: well below a millisecond of this thread. */
const TOGETHER = 64;
/** Work for one height, in units of `ScriptWork`: a second of a thread. What is left is found out when it is packed. */
const MAX_WORK = 1_000_000_000;
const SOURCE = "pool";

export class HeightScripts {
  readonly #dependencies: Pick<AheadDependencies, "pool" | "verifier">;
  #height = 0;
  #isWorking = false;

  constructor(dependencies: Pick<AheadDependencies, "pool" | "verifier">) {
    this.#dependencies = dependencies;
  }

  /** The chain has changed. */
  async follow(height: number): Promise<void> {
    if (height === this.#height) return;
    this.#height = height;
    if (this.#isWorking) return;
    this.#isWorking = true;
    try {
      while (await this.#isLate());
    } catch (error) {
      // Packing finds it out by itself.
      if (!(error instanceof VerifierBusyError || error instanceof CheckerError)) throw error;
    } finally {
      this.#isWorking = false;
    }
  }

  /** Works at the height as it is now. @returns whether it has changed meanwhile */
  async #isLate(): Promise<boolean> {
    const { pool, verifier } = this.#dependencies;
    const height = this.#height;
    const all = pool.dependingOnHeight();
    let work = 0;
    for (let from = 0; from < all.length && work < MAX_WORK; from += TOGETHER) {
      const runs = pool.scriptRuns(all.slice(from, from + TOGETHER));
      await verifier.scripts(
        SOURCE,
        runs.map((run) => ({
          run,
          texts: false,
          allowance: () => (run.height === this.#height ? MAX_POOL_SCRIPT_WORK : "none"),
          made: (report) => {
            work += report.work;
          },
        })),
      );
      if (height !== this.#height) return true;
    }
    return false;
  }
}
