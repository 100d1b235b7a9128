/** Scripts of accounts, run in threads before the pool judges what the accounts send. */
import type { Clock } from "../interfaces.ts";
import type { Mempool } from "../mempool/mempool.ts";
import type { Transaction } from "../transactions/index.ts";
import { CheckerError } from "../verification/batch-checker.ts";
import type { SourceId } from "../verification/script-queue.ts";
import { type Verifier, VerifierBusyError } from "../verification/verifier.ts";

/** Who runs what, and for what pool. */
export interface AheadDependencies {
  readonly pool: Mempool;
  readonly verifier: Pick<Verifier, "scripts">;
  readonly clock: Pick<Clock, "monotonic">;
}

/**
 * Has the script of a transaction's sender run, as far as there is one and it is not known what it says. Once this is
 * done the pool can judge the transaction at little cost; what could not be found out it finds out by itself.
 * @param deadline when whoever asked gives up, ms: then nothing is run any more
 * @returns false when too much is asked of this source now: the same may be asked again later
 */
export async function runScriptAhead(
  { pool, verifier, clock }: AheadDependencies,
  source: SourceId,
  transaction: Transaction,
  deadline: number,
): Promise<boolean> {
  const [run] = pool.scriptRuns([transaction]);
  if (run === undefined) return true;
  let given: number | "none" = "none";
  let isJudged = true;
  try {
    await verifier.scripts(source, [
      {
        run,
        texts: true,
        allowance: () => {
          given = clock.monotonic() < deadline ? pool.scripts.allowance(source, run) : "none";
          return given;
        },
        made: (report) => {
          if (given !== "none") isJudged = pool.scripts.ran(source, run, report, given);
        },
      },
    ]);
  } catch (error) {
    if (error instanceof VerifierBusyError) return false;
    // What is not found out ahead is found out when it is judged: slower, but no transaction is lost for it.
    if (!(error instanceof CheckerError)) throw error;
  }
  return isJudged;
}
