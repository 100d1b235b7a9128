/** Hands pieces to the chain, one after the other, and again what the chain could not take. Page 04 §13.2. */
import type { ExtensionResult } from "../../chain/chain.ts";
import type { ChainEvidence } from "../../chain/deciding/extension-rules.ts";
import { ChainClosedError } from "../../chain/writing/write-queue.ts";
import type { Cancel } from "../../interfaces.ts";
import type { LoaderDependencies } from "./loader-dependencies.ts";
import { type Piece, PieceQueue } from "./pieces.ts";

/** How long what the chain could not take waits before it is tried again, ms, and how often that is done. */
const RETRY_MS = 1_000;
const MAX_RETRIES = 30;

/** What the chain says of a piece. */
export type Verdict = Exclude<ExtensionResult, { readonly kind: "unable" }>;

export interface ApplierEvents {
  /** The blocks of a piece passed the checks and beat our chain: they are about to be taken. */
  onEvidence(piece: Piece, evidence: ChainEvidence): void;
  /** The chain has judged a piece, which is not in the queue any more. */
  onVerdict(piece: Piece, verdict: Verdict): void;
  /** This node cannot take a piece: no peer is to blame. */
  onGivenUp(piece: Piece): void;
  /** The chain is closed: the node stops. */
  onClosed(): void;
  /** An attempt has ended: the next piece may be on its way to the chain already. */
  onAttempted(): void;
}

export class Applier {
  /** What waits for the chain; the first piece is the one that is being applied. */
  readonly queue: PieceQueue;
  readonly #dependencies: Pick<LoaderDependencies, "clock" | "log" | "intake">;
  readonly #events: ApplierEvents;
  #isApplying = false;
  #retries = 0;
  #cancelRetry: Cancel | undefined;
  #ended = false;

  constructor(dependencies: Pick<LoaderDependencies, "clock" | "log" | "intake">, events: ApplierEvents) {
    this.queue = new PieceQueue((blocks) => dependencies.intake.offer(blocks));
    this.#dependencies = dependencies;
    this.#events = events;
  }

  /** Whether the chain could not take something, which is tried again. */
  get isHeld(): boolean {
    return this.#cancelRetry !== undefined;
  }

  /** Begins with the first piece, unless one is being applied. */
  apply(): void {
    if (this.#isApplying || this.isHeld || this.#ended) return;
    const next = this.queue.begin();
    if (next === undefined) return;
    const { piece, offered } = next;
    this.#isApplying = true;
    offered
      .apply((evidence) => this.#events.onEvidence(piece, evidence))
      .then(
        (result) => this.#take(piece, result),
        (error: unknown) => {
          // A fault of ours: nobody is to blame.
          this.#dependencies.log.error("An extension could not be applied", { error });
          this.#events.onGivenUp(piece);
        },
      )
      .finally(() => {
        this.#isApplying = false;
        if (!this.#ended) this.#events.onAttempted();
      });
  }

  /** Applies nothing any more, but for what is being applied. */
  end(): void {
    this.#ended = true;
    this.queue.clear();
    this.#cancelRetry?.();
  }

  #take(piece: Piece, result: ExtensionResult): void {
    if (this.#ended) return;
    this.queue.shift();
    if (result.kind === "unable") {
      this.#tryAgain(piece, result.error);
      return;
    }
    this.#retries = 0;
    this.#events.onVerdict(piece, result);
  }

  #tryAgain(piece: Piece, error: Error): void {
    const { clock, log } = this.#dependencies;
    if (error instanceof ChainClosedError) {
      this.#events.onClosed();
      return;
    }
    if (++this.#retries > MAX_RETRIES) {
      this.#retries = 0;
      this.#events.onGivenUp(piece);
      return;
    }
    log.debug("An extension has to wait", { error });
    this.queue.unshift(piece);
    this.#cancelRetry = clock.after(RETRY_MS, () => {
      this.#cancelRetry = undefined;
      this.apply();
    });
  }
}
