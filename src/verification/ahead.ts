/**
 * Checks signatures and runs scripts ahead of the writer.
 *
 * If an error prevents a check, the writer does the check. Errors of a busy or closing verifier are expected and
 * logged at `debug`; others are logged at `error` and counted.
 */
import {
  announcementMessage,
  isAnnouncementSigned,
  type MicroBlockAnnouncement,
} from "../blocks/announcement.ts";
import { failed, ok, type Result } from "../errors/result.ts";
import type { Log } from "../interfaces.ts";
import type { ScriptRun } from "../ledger/scripts/script-verdicts.ts";
import type { NetworkRules, Transaction } from "../transactions/index.ts";
import { canonicalBytes, type ScannedBytes } from "./checked-block.ts";
import type { ScriptRequest, SourceId } from "./script-queue.ts";
import { type Verifier, VerifierBusyError } from "./verifier.ts";

/** `busy`: the queue is full; `failed`: an error prevented the check. */
type CheckOutcome = "done" | "busy" | "failed";

function isExpected(error: unknown): boolean {
  return error instanceof Error && "isExpected" in error && error.isExpected === true;
}

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

  get failures(): number {
    return this.#failures;
  }

  async verifyTransactions(source: SourceId, transactions: readonly Transaction[]): Promise<CheckOutcome> {
    if (transactions.length === 0) return "done";
    const verify = () => this.#verifier.verifyTransactions(source, transactions);
    return outcomeOf(await this.#attempt("Transactions", source, verify));
  }

  /**
   * @param bytes canonical bytes of a block or micro block
   * @returns undefined if the check was impossible
   */
  async isSigned(source: SourceId, bytes: Uint8Array): Promise<boolean | undefined> {
    const verify = () => this.#verifier.verifySignatures(source, [bytes]);
    const checked = await this.#attempt("A signature", source, verify);
    return checked.ok ? checked.value[0] : undefined;
  }

  /** Like `isSigned`, for a received block, whose bytes may not be canonical. */
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

  /** If the verifier cannot answer, this thread checks the signature. */
  async isAnnouncementSigned(
    source: SourceId,
    announcement: MicroBlockAnnouncement,
    chainId: number,
  ): Promise<boolean> {
    const message = announcementMessage(announcement, chainId);
    const verify = () => this.#verifier.verifyMessages(source, [message]);
    const checked = await this.#attempt("An announcement", source, verify);
    return checked.ok ? checked.value[0] : isAnnouncementSigned(announcement, chainId);
  }

  async runScripts(source: SourceId, runs: readonly ScriptRequest[]): Promise<CheckOutcome> {
    return outcomeOf(await this.#attempt("Scripts", source, () => this.#verifier.runScripts(source, runs)));
  }

  /**
   * Runs a block's scripts without a work limit. Leaves a single script to the writer, which runs it just as fast.
   * @param assist runs one queued script of the source in this thread, and returns false if none is queued
   * @throws the errors of `assist`
   */
  async runBlockScripts(
    source: SourceId,
    runs: readonly ScriptRun[],
    assist?: () => Promise<boolean>,
  ): Promise<void> {
    if (runs.length < 2) return;
    const outcome = this.runScripts(
      source,
      runs.map((run) => ({ run, includesVars: false, allowance: () => undefined })),
    );
    while ((await assist?.()) === true);
    await outcome;
  }

  async #attempt<T>(
    subject: string,
    source: SourceId,
    check: () => Promise<T>,
  ): Promise<Result<T, "busy" | "failed">> {
    try {
      return ok(await check());
    } catch (error) {
      const message = `${subject} could not be checked ahead`;
      if (isExpected(error)) this.#log?.debug(message, { source, error });
      else this.#log?.error(message, { source, error, failures: ++this.#failures });
      return failed(error instanceof VerifierBusyError ? "busy" : "failed");
    }
  }
}

function outcomeOf(result: Result<void, "busy" | "failed">): CheckOutcome {
  return result.ok ? "done" : result.error;
}
