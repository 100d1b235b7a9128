/** Reruns height-dependent scripts of pool transactions in threads when the height changes, ready for packing. */
import { MAX_POOL_SCRIPT_WORK } from "../ledger/limits.ts";
import type { Mempool } from "../mempool/mempool.ts";
import type { Preverifier } from "../verification/ahead.ts";

/** Well below a millisecond of this thread. */
const TRANSACTIONS_PER_SLICE = 64;
/** Script work per height, in units of `ScriptWork`: about a second of one thread. Packing runs the rest. */
const MAX_WORK = 1_000_000_000;
const SOURCE = "pool";

interface HeightScriptDependencies {
  readonly pool: Pick<Mempool, "heightDependent" | "scriptRuns">;
  readonly ahead: Preverifier;
}

export class HeightScriptRunner {
  readonly #dependencies: HeightScriptDependencies;
  #height = 0;
  #isWorking = false;

  constructor(dependencies: HeightScriptDependencies) {
    this.#dependencies = dependencies;
  }

  async follow(height: number): Promise<void> {
    if (height === this.#height) return;
    this.#height = height;
    if (this.#isWorking) return;
    this.#isWorking = true;
    try {
      while (await this.#isLate());
    } finally {
      this.#isWorking = false;
    }
  }

  /** Runs the scripts for the current height. @returns true if the height changed meanwhile */
  async #isLate(): Promise<boolean> {
    const { pool, ahead } = this.#dependencies;
    const height = this.#height;
    const all = pool.heightDependent();
    let work = 0;
    for (let from = 0; from < all.length && work < MAX_WORK; from += TRANSACTIONS_PER_SLICE) {
      const runs = pool.scriptRuns(all.slice(from, from + TRANSACTIONS_PER_SLICE));
      const outcome = await ahead.runScripts(
        SOURCE,
        runs.map((run) => ({
          run,
          texts: false,
          allowance: () => (run.height === this.#height ? MAX_POOL_SCRIPT_WORK : "none"),
          onReport: (report) => {
            work += report.work;
          },
        })),
      );
      if (outcome !== "done") return false;
      if (height !== this.#height) return true;
    }
    return false;
  }
}
