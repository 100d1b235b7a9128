/** When the height changes, reruns pool scripts that read it. */
import { MAX_POOL_SCRIPT_WORK } from "../ledger/limits.ts";
import type { Mempool } from "../mempool/mempool.ts";
import type { Preverifier } from "../verification/ahead.ts";

/** A slice takes this thread less than a millisecond. */
const TRANSACTIONS_PER_SLICE = 64;
/** About a second of a thread, in units of `ScriptWork`. */
const MAX_WORK_PER_HEIGHT = 1_000_000_000;
const SOURCE = "pool";

interface HeightScriptDependencies {
  readonly pool: Pick<Mempool, "heightDependent" | "scriptRuns">;
  readonly preverifier: Preverifier;
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
      while (await this.#runScripts());
    } finally {
      this.#isWorking = false;
    }
  }

  async #runScripts(): Promise<boolean> {
    const { pool, preverifier } = this.#dependencies;
    const height = this.#height;
    const transactions = pool.heightDependent();
    let work = 0;
    for (
      let from = 0;
      from < transactions.length && work < MAX_WORK_PER_HEIGHT;
      from += TRANSACTIONS_PER_SLICE
    ) {
      const runs = pool.scriptRuns(transactions.slice(from, from + TRANSACTIONS_PER_SLICE));
      const outcome = await preverifier.runScripts(
        SOURCE,
        runs.map((run) => ({
          run,
          includesVars: false,
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
