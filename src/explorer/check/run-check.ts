import { encodeHex } from "../../bytes/hex.ts";
import type { AnchorStep } from "../../client/anchor-verdict.ts";
import { type BoundedFetch, verifyAnchor } from "../../client/verify-anchor.ts";
import { type CheckOutcome, checkOutcomeOf, type QueuedHash } from "./check-outcome.ts";
import { FileError, type HashableFile, hashFile, type Pause } from "./hash-file.ts";
import { type CheckStep, checkSteps } from "./steps.ts";
import { checkTexts as texts } from "./texts.ts";

export type CheckSubject = { readonly file: HashableFile } | { readonly hash: Uint8Array };

interface CheckOptions {
  readonly subject: CheckSubject;
  readonly proof?: unknown;
  readonly nodeUrl: string;
  readonly fetch: BoundedFetch;
  /** If the call fails, the hash counts as not queued. */
  readonly findQueued: (hash: Uint8Array) => Promise<QueuedHash | undefined>;
  readonly pause: Pause;
  readonly signal: AbortSignal;
}

export interface CheckView {
  readonly steps: readonly CheckStep[];
  /** Hashing progress in bytes. */
  readonly hashed?: { readonly done: number; readonly size: number } | undefined;
  readonly hash?: string | undefined;
  readonly outcome?: CheckOutcome | undefined;
}

function notCheckedOutcome(problem: string): CheckOutcome {
  return { tone: "unknown", title: texts.notChecked, sentence: [problem], advice: "" };
}

/** Ends without an outcome if `signal` aborts. @param onView called after each change */
export async function runCheck(options: CheckOptions, onView: (view: CheckView) => void): Promise<void> {
  const { subject, proof, nodeUrl, signal } = options;
  const hasFile = "file" in subject;
  const steps: AnchorStep[] = [];
  const stepsOf = (hash: string | undefined, progress: object = {}) =>
    checkSteps({ hash, hasFile, steps, nodeUrl, ...progress });
  const report = (view: CheckView): void => {
    if (!signal.aborted) onView(view);
  };
  let hash: Uint8Array;
  try {
    hash =
      "file" in subject ? await hashSubject(subject.file, options, stepsOf(undefined), report) : subject.hash;
  } catch (error) {
    if (signal.aborted) return;
    if (!(error instanceof FileError)) throw error;
    const fileProblem = error.message;
    return report({ steps: stepsOf(undefined, { fileProblem }), outcome: notCheckedOutcome(fileProblem) });
  }
  const hex = encodeHex(hash);
  report({ steps: stepsOf(hex), hash: hex });
  const verdict = await verifyAnchor({
    fetch: options.fetch,
    nodes: [nodeUrl],
    hash,
    proof,
    texts: texts.findings,
    onStep: (step) => {
      steps.push(step);
      report({ steps: stepsOf(hex), hash: hex });
    },
  });
  const isMissing = verdict.status === "not-anchored" && proof === undefined;
  const queued = isMissing ? await options.findQueued(hash).catch(() => undefined) : undefined;
  const outcome = checkOutcomeOf(verdict, { hasFile, isUserProof: proof !== undefined, queued });
  report({ steps: stepsOf(hex, { verdict }), hash: hex, outcome });
}

function hashSubject(
  file: HashableFile,
  { pause, signal }: CheckOptions,
  steps: readonly CheckStep[],
  report: (view: CheckView) => void,
): Promise<Uint8Array> {
  const { size } = file;
  report({ steps, hashed: { done: 0, size } });
  return hashFile(file, (done) => report({ steps, hashed: { done, size } }), pause, signal);
}
