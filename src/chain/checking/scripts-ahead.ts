/** Runs of a block's scripts, before it is applied: the dearest that a block may hold would keep one thread busy for long. */
import type { ScriptRun } from "../../ledger/script-verdicts.ts";
import type { WantedRun } from "../../verification/script-queue.ts";
import { type Verifier, VerifierBusyError } from "../../verification/verifier.ts";
import { type Pace, pause } from "../writing/pace.ts";

/** All blocks come one after the other. */
const SOURCE = "blocks";

/** Any amount of work may decide about a block. Texts are for whoever sends a transaction. */
function wanted(run: ScriptRun): WantedRun {
  return { run, texts: false, allowance: () => undefined };
}

/**
 * Makes the runs in threads, and in this one meanwhile: others have their turn between two runs. What scripts say is
 * remembered of the transactions, and counts if the same script is there when their turn comes.
 * @throws CheckerError (as a rejection), and what `pace` throws
 */
export async function runScriptsAhead(
  verifier: Verifier,
  runs: readonly ScriptRun[],
  pace?: Pace | undefined,
): Promise<void> {
  const made = verifier.scripts(SOURCE, runs.map(wanted));
  // Until it is waited for, its failure is nobody's.
  made.catch(() => {});
  while (verifier.assistScripts(SOURCE)) {
    await pause();
    pace?.resumed();
  }
  try {
    await made;
  } catch (error) {
    // Then the writer makes them all.
    if (!(error instanceof VerifierBusyError)) throw error;
  }
  pace?.resumed();
}
