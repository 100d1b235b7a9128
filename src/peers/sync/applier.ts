/** Applies extensions one at a time, and retries after failures of this node. Page 04 §13.2. */
import type { ExtensionResult } from "../../chain/chain.ts";
import type { ChainEvidence } from "../../chain/deciding/extension-rules.ts";
import { ChainClosedError } from "../../chain/writing/write-queue.ts";
import type { Cancel } from "../../interfaces.ts";
import { contain } from "../../runtime/contain.ts";
import type { Peer } from "../connections/peer.ts";
import { ExtensionQueue, type FetchedExtension } from "./extension-queue.ts";
import type { LoaderDependencies, Verdict } from "./loader-dependencies.ts";

const RETRY_DELAY_MS = 1_000;
const MAX_RETRIES = 30;

interface ApplierEvents {
  /** The extension has passed the checks and is better than our chain. */
  onEvidence(extension: FetchedExtension, evidence: ChainEvidence): void;
  onVerdict(extension: FetchedExtension, verdict: Verdict): void;
  /** This node cannot apply the extension. */
  onGivenUp(extension: FetchedExtension): void;
  onChainClosed(): void;
  onAttempted(): void;
  /** @param peer the sender of the first queued extension */
  onFault(peer: Peer | undefined): void;
}

export class Applier {
  readonly queue: ExtensionQueue;
  readonly #dependencies: Pick<LoaderDependencies, "clock" | "log" | "extensions" | "onVerdict">;
  readonly #events: ApplierEvents;
  #isApplying = false;
  #retries = 0;
  #cancelRetry: Cancel | undefined;
  #hasEnded = false;

  constructor(
    dependencies: Pick<LoaderDependencies, "clock" | "log" | "extensions" | "onVerdict">,
    events: ApplierEvents,
  ) {
    this.queue = new ExtensionQueue((blocks) => dependencies.extensions.offer(blocks));
    this.#dependencies = dependencies;
    this.#events = events;
  }

  get isWaitingToRetry(): boolean {
    return this.#cancelRetry !== undefined;
  }

  apply(): void {
    if (this.#isApplying || this.isWaitingToRetry || this.#hasEnded) return;
    const next = this.queue.offerFirst();
    if (next === undefined) return;
    const { extension, offered } = next;
    this.#isApplying = true;
    const { log } = this.#dependencies;
    const onFailure = (): void => this.#events.onGivenUp(extension);
    contain({ log, message: "Cannot apply an extension", onFailure }, async () =>
      this.#handleResult(
        extension,
        await offered.apply((evidence) => this.#events.onEvidence(extension, evidence)),
      ),
    )?.then(() => {
      this.#isApplying = false;
      if (!this.#hasEnded) this.#runStep(() => this.#events.onAttempted());
    });
  }

  #runStep(step: () => void): void {
    const { log } = this.#dependencies;
    const onFailure = (): void => this.#events.onFault(this.queue.extensions[0]?.peer);
    contain({ log, message: "Cannot apply the next extension", onFailure }, step);
  }

  /** The result of an extension in progress is ignored. */
  end(): void {
    this.#hasEnded = true;
    this.queue.clear();
    this.#cancelRetry?.();
  }

  #handleResult(extension: FetchedExtension, result: ExtensionResult): void {
    if (this.#hasEnded) return;
    this.queue.shift();
    if (result.kind === "unable") {
      this.#retry(extension, result.error);
      return;
    }
    this.#retries = 0;
    this.#dependencies.onVerdict?.(result);
    this.#events.onVerdict(extension, result);
  }

  #retry(extension: FetchedExtension, error: Error): void {
    const { clock, log } = this.#dependencies;
    if (error instanceof ChainClosedError) {
      this.#events.onChainClosed();
      return;
    }
    if (++this.#retries > MAX_RETRIES) {
      this.#retries = 0;
      this.#events.onGivenUp(extension);
      return;
    }
    log.debug("Extension postponed", { error });
    this.queue.unshift(extension);
    this.#cancelRetry = clock.after(RETRY_DELAY_MS, () => {
      this.#cancelRetry = undefined;
      this.#runStep(() => this.apply());
    });
  }
}
