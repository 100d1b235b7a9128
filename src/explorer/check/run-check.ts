import { encodeHex } from "../../bytes/hex.ts";
import type { AnchorStep } from "../../client/anchor-verdict.ts";
import { type BoundedFetch, verifyAnchor } from "../../client/verify-anchor.ts";
import { type CheckOutcome, checkOutcomeOf, type QueuedHash } from "./check-outcome.ts";
import { FileError, type HashedFile, hashFile, type Pause } from "./hash-file.ts";
import { type CheckStep, checkSteps } from "./steps.ts";
import { checkTexts as texts } from "./texts.ts";

export type CheckSubject = { readonly file: HashedFile } | { readonly hash: Uint8Array };

interface CheckOptions {
  readonly subject: CheckSubject;
  /** Parsed JSON; fetched from the node by default. */
  readonly proof?: unknown;
  readonly nodeUrl: string;
  readonly fetch: BoundedFetch;
  /** An error counts as not queued: a node may lack the route. */
  readonly findQueued: (hash: Uint8Array) => Promise<QueuedHash | undefined>;
  readonly pause: Pause;
  readonly signal: AbortSignal;
}

export interface CheckView {
  readonly steps: readonly CheckStep[];
  /** Bytes; undefined without a file. */
  readonly hashed?: { readonly done: number; readonly size: number } | undefined;
  /** Hexadecimal, once known. */
  readonly hash?: string | undefined;
  /** Set at the end. */
  readonly outcome?: CheckOutcome | undefined;
}

function notCheckedOutcome(problem: string): CheckOutcome {
  return { tone: "unknown", stamp: texts.notChecked, sentence: [problem], advice: "" };
}

/** Stops without an outcome when `signal` aborts. @param onView called after each change */
export async function runCheck(options: CheckOptions, onView: (view: CheckView) => void): Promise<void> {
  const { subject, proof, nodeUrl, signal } = options;
  const hasFile = "file" in subject;
  const steps: AnchorStep[] = [];
  const all = (hash: string | undefined, more: object = {}) =>
    checkSteps({ hash, hasFile, steps, nodeUrl, ...more });
  const tell = (view: CheckView): void => {
    if (!signal.aborted) onView(view);
  };
  let hash: Uint8Array;
  try {
    hash = "file" in subject ? await hashSubject(subject.file, options, all(undefined), tell) : subject.hash;
  } catch (error) {
    if (signal.aborted) return;
    if (!(error instanceof FileError)) throw error;
    const fileProblem = error.message;
    return tell({ steps: all(undefined, { fileProblem }), outcome: notCheckedOutcome(fileProblem) });
  }
  const hex = encodeHex(hash);
  tell({ steps: all(hex), hash: hex });
  const verdict = await verifyAnchor({
    fetch: options.fetch,
    nodes: [nodeUrl],
    hash,
    proof,
    onStep: (step) => {
      steps.push(step);
      tell({ steps: all(hex), hash: hex });
    },
  });
  const isMissing = verdict.status === "not-anchored" && proof === undefined;
  const queued = isMissing ? await options.findQueued(hash).catch(() => undefined) : undefined;
  const outcome = checkOutcomeOf(verdict, { hasFile, isProofGiven: proof !== undefined, queued });
  tell({ steps: all(hex, { verdict }), hash: hex, outcome });
}

function hashSubject(
  file: HashedFile,
  { pause, signal }: CheckOptions,
  steps: readonly CheckStep[],
  tell: (view: CheckView) => void,
): Promise<Uint8Array> {
  const { size } = file;
  tell({ steps, hashed: { done: 0, size } });
  return hashFile(file, (done) => tell({ steps, hashed: { done, size } }), pause, signal);
}
