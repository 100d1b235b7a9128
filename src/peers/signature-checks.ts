/**
 * What parts that talk to peers ask of who checks signatures and runs scripts: `verification/`, in threads, for every
 * source by turns.
 */
import type { Log } from "../interfaces.ts";
import type { ScriptRun } from "../ledger/script-verdicts.ts";
import type { Transaction } from "../transactions/index.ts";

export interface SignatureChecks {
  /** Finds out ids and verdicts, which stay with the transactions. @param source the label of the peer */
  transactions(source: string, transactions: readonly Transaction[]): Promise<void>;
  /** Whether blocks or micro blocks are signed. @param blocks their canonical bytes */
  signatures(source: string, blocks: readonly Uint8Array[]): Promise<readonly boolean[]>;
  /** Runs scripts on transactions, which remember what was said. `allowance` undefined: whatever it takes. */
  scripts(
    source: string,
    runs: readonly {
      readonly run: ScriptRun;
      readonly texts: boolean;
      readonly allowance: () => undefined;
    }[],
  ): Promise<void>;
}

/**
 * Has the signature of a block or micro block checked.
 * @returns undefined when nobody could check it now: then the writer does, which is slower and loses nothing
 */
export async function isSignedAhead(
  checks: SignatureChecks,
  source: string,
  bytes: Uint8Array,
  log: Log,
): Promise<boolean | undefined> {
  try {
    const [signed] = await checks.signatures(source, [bytes]);
    return signed;
  } catch (error) {
    log.debug("A signature could not be checked ahead", { source, error });
    return undefined;
  }
}

/** Has the proofs of transactions checked; those that nobody could check now, the writer checks. */
export async function checkAhead(
  checks: SignatureChecks,
  source: string,
  transactions: readonly Transaction[],
  log: Log,
): Promise<void> {
  if (transactions.length === 0) return;
  try {
    await checks.transactions(source, transactions);
  } catch (error) {
    log.debug("Transactions could not be checked ahead", { source, error });
  }
}

/**
 * Has the scripts of a block or micro block run, as many as it may have: what they say counts if they are still there
 * when it is applied. Those that nobody could run now, the writer runs.
 */
export async function runScriptsAhead(
  checks: SignatureChecks,
  source: string,
  runs: readonly ScriptRun[],
  log: Log,
): Promise<void> {
  // A single one is made as fast at its place.
  if (runs.length < 2) return;
  try {
    await checks.scripts(
      source,
      runs.map((run) => ({ run, texts: false, allowance: () => undefined })),
    );
  } catch (error) {
    log.debug("Scripts could not be run ahead", { source, error });
  }
}
