/**
 * What parts that talk to peers ask of who checks signatures and runs scripts: `verification/`, in threads, for every
 * source by turns.
 *
 * A check that throws is never a verdict: the writer checks again. A checker that is too busy, or ends with the node, is
 * expected; any other error is a fault of this node, logged at `error` and counted.
 */
import {
  announcementMessage,
  isAnnouncementSigned,
  type MicroBlockAnnouncement,
} from "../blocks/announcement.ts";
import type { Log } from "../interfaces.ts";
import type { ScriptRun } from "../ledger/script-verdicts.ts";
import type { Transaction } from "../transactions/index.ts";

/** Errors that are not a fault of the node have `isExpected: true`. */
export interface SignatureChecks {
  /** Finds out ids and verdicts, which stay with the transactions. @param source the label of the peer */
  transactions(source: string, transactions: readonly Transaction[]): Promise<void>;
  /** Whether blocks or micro blocks are signed. @param blocks their canonical bytes */
  signatures(source: string, blocks: readonly Uint8Array[]): Promise<readonly boolean[]>;
  /** Checks signatures that do not cover their key. @param messages each the signed bytes, then the key, then the signature */
  messages(source: string, messages: readonly Uint8Array[]): Promise<readonly boolean[]>;
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

/** Number of checks that failed by a fault of this node, by checker. */
const failures = new WeakMap<SignatureChecks, number>();

/** Returns how many checks of a checker failed by a fault of this node. */
export function checkFailures(checks: SignatureChecks): number {
  return failures.get(checks) ?? 0;
}

/** Returns true for an error that is not a fault: the checker is busy, or ends with the node. */
function isExpected(error: unknown): boolean {
  return error instanceof Error && "isExpected" in error && error.isExpected === true;
}

function reportFailure(
  checks: SignatureChecks,
  log: Log,
  message: string,
  facts: { readonly source: string; readonly error: unknown },
): void {
  if (isExpected(facts.error)) {
    log.debug(message, facts);
    return;
  }
  const count = checkFailures(checks) + 1;
  failures.set(checks, count);
  log.error(message, { ...facts, failures: count });
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
    reportFailure(checks, log, "A signature could not be checked ahead", { source, error });
    return undefined;
  }
}

/** Returns true if the generator signed an announcement. If no thread can check it now, this thread does. */
export async function isAnnouncementSignedAhead(
  checks: SignatureChecks,
  source: string,
  { announcement, chainId }: { readonly announcement: MicroBlockAnnouncement; readonly chainId: number },
  log: Log,
): Promise<boolean> {
  try {
    const [signed] = await checks.messages(source, [announcementMessage(announcement, chainId)]);
    return signed;
  } catch (error) {
    reportFailure(checks, log, "An announcement could not be checked ahead", { source, error });
    return isAnnouncementSigned(announcement, chainId);
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
    reportFailure(checks, log, "Transactions could not be checked ahead", { source, error });
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
    reportFailure(checks, log, "Scripts could not be run ahead", { source, error });
  }
}
