/**
 * Finds out signatures and scripts ahead of the writer, for the pool, peers and the chain.
 *
 * One policy holds for a check that fails. It leaves no verdict, so that it neither accepts nor refuses anything: the
 * writer makes the check itself, which is slower and loses nothing. A verifier that is busy, or ends with the node, is
 * expected, and logged at `debug`. Any other error is a fault of this node: it is logged at `error` and counted. It does
 * not stop the node, since all that is checked here comes from outside (`runtime/contain.ts`).
 */
import {
  announcementMessage,
  isAnnouncementSigned,
  type MicroBlockAnnouncement,
} from "../blocks/announcement.ts";
import type { Log } from "../interfaces.ts";
import type { ScriptRun } from "../ledger/scripts/script-verdicts.ts";
import type { NetworkRules, Transaction } from "../transactions/index.ts";
import { canonicalBytes, type ScannedBytes } from "./checked-block.ts";
import type { ScriptRequest, SourceId } from "./script-queue.ts";
import { type Verifier, VerifierBusyError } from "./verifier.ts";

/** What became of checks: `busy`: too much waits already, the same may be asked again; `failed`: no verdict either. */
type CheckOutcome = "done" | "busy" | "failed";

/** Errors that are not a fault of the node have `isExpected: true`. */
function isExpected(error: unknown): boolean {
  return error instanceof Error && "isExpected" in error && error.isExpected === true;
}

/** What checks ahead need of a verifier. */
export type RequestVerifier = Pick<
  Verifier,
  "verifyTransactions" | "verifySignatures" | "verifyMessages" | "runScripts"
>;

export class Preverifier {
  readonly #verifier: RequestVerifier;
  readonly #log: Pick<Log, "debug" | "error"> | undefined;
  #failures = 0;

  constructor(verifier: RequestVerifier, log?: Pick<Log, "debug" | "error">) {
    this.#verifier = verifier;
    this.#log = log;
  }

  /** Number of checks that failed by a fault of this node. */
  get failures(): number {
    return this.#failures;
  }

  /** Finds out ids and verdicts, which stay with the transactions. */
  async verifyTransactions(source: SourceId, transactions: readonly Transaction[]): Promise<CheckOutcome> {
    if (transactions.length === 0) return "done";
    return this.#outcome("Transactions", source, () =>
      this.#verifier.verifyTransactions(source, transactions),
    );
  }

  /**
   * Checks the signature of a block or micro block.
   * @param bytes its canonical bytes
   * @returns undefined if it could not be checked
   */
  async isSigned(source: SourceId, bytes: Uint8Array): Promise<boolean | undefined> {
    return (
      await this.#attempt("A signature", source, () => this.#verifier.verifySignatures(source, [bytes]))
    )?.[0];
  }

  /** As `isSigned`, for a block as it was received: its signature may cover other bytes, the canonical ones. */
  async isReceivedSigned(
    source: SourceId,
    received: ScannedBytes,
    rules: NetworkRules,
  ): Promise<boolean | undefined> {
    const { bytes, scan } = received;
    const signed = await this.isSigned(source, bytes.subarray(0, scan.length));
    if (signed !== false) return signed;
    const canonical = canonicalBytes(received, rules);
    return canonical === undefined ? false : this.isSigned(source, canonical);
  }

  /** Returns true if the generator signed an announcement. If no thread can check it now, this thread does. */
  async isAnnouncementSigned(
    source: SourceId,
    announcement: MicroBlockAnnouncement,
    chainId: number,
  ): Promise<boolean> {
    const message = announcementMessage(announcement, chainId);
    const checked = await this.#attempt("An announcement", source, () =>
      this.#verifier.verifyMessages(source, [message]),
    );
    return checked?.[0] ?? isAnnouncementSigned(announcement, chainId);
  }

  /** Runs scripts on transactions, which remember what was said. */
  runScripts(source: SourceId, runs: readonly ScriptRequest[]): Promise<CheckOutcome> {
    return this.#outcome("Scripts", source, () => this.#verifier.runScripts(source, runs));
  }

  /**
   * Runs the scripts of a block, however much they take. What they say counts if they are still there when the block is
   * applied.
   * @param assist makes one of the source's runs in this thread; false: none waits. What it throws is passed on
   */
  async runBlockScripts(
    source: SourceId,
    runs: readonly ScriptRun[],
    assist?: () => Promise<boolean>,
  ): Promise<void> {
    // A single one is run as fast at its place.
    if (runs.length < 2) return;
    const made = this.runScripts(
      source,
      runs.map((run) => ({ run, texts: false, allowance: () => undefined })),
    );
    while ((await assist?.()) === true);
    await made;
  }

  async #outcome(what: string, source: SourceId, check: () => Promise<void>): Promise<CheckOutcome> {
    try {
      await check();
      return "done";
    } catch (error) {
      this.#report(what, source, error);
      return error instanceof VerifierBusyError ? "busy" : "failed";
    }
  }

  async #attempt<T>(what: string, source: SourceId, check: () => Promise<T>): Promise<T | undefined> {
    try {
      return await check();
    } catch (error) {
      this.#report(what, source, error);
      return undefined;
    }
  }

  #report(what: string, source: SourceId, error: unknown): void {
    const message = `${what} could not be checked ahead`;
    if (isExpected(error)) this.#log?.debug(message, { source, error });
    else this.#log?.error(message, { source, error, failures: ++this.#failures });
  }
}
