/** Applies pieces to the chain one at a time, and retries those that the chain could not take. Page 04 §13.2. */
import type { ExtensionResult } from "../../chain/chain.ts";
import type { ChainEvidence } from "../../chain/deciding/extension-rules.ts";
import { ChainClosedError } from "../../chain/writing/write-queue.ts";
import type { Cancel } from "../../interfaces.ts";
import { contain } from "../../runtime/contain.ts";
import type { Peer } from "../connections/peer.ts";
import { type Piece, PieceQueue } from "./extension-queue.ts";
import type { LoaderDependencies } from "./loader-dependencies.ts";

/** Delay before a piece that the chain could not take is tried again, ms, and the number of retries in a row. */
const RETRY_DELAY_MS = 1_000;
const MAX_RETRIES = 30;

/** The chain's judgement of a piece. */
export type Verdict = Exclude<ExtensionResult, { readonly kind: "unable" }>;

interface ApplierEvents {
  /** The blocks of a piece passed the checks and beat our chain: they will be applied now. */
  onEvidence(piece: Piece, evidence: ChainEvidence): void;
  /** The chain has judged a piece, which has left the queue. */
  onVerdict(piece: Piece, verdict: Verdict): void;
  /** This node cannot apply a piece. The peer is not to blame. */
  onGivenUp(piece: Piece): void;
  /** The chain is closed: the node stops. */
  onClosed(): void;
  /** An attempt has ended, with whatever result. The next piece may be under way already. */
  onAttempted(): void;
  /** This node failed to continue after an attempt. @param peer the sender of the first piece that waits */
  onFault(peer: Peer | undefined): void;
}

export class Applier {
  /** Pieces that wait for the chain; the first one is being applied. */
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

  /** Whether a piece that the chain could not take waits for its retry. */
  get isWaitingToRetry(): boolean {
    return this.#cancelRetry !== undefined;
  }

  /** Applies the first piece, unless one is being applied or waits for its retry. */
  apply(): void {
    if (this.#isApplying || this.isWaitingToRetry || this.#ended) return;
    const next = this.queue.begin();
    if (next === undefined) return;
    const { piece, offered } = next;
    this.#isApplying = true;
    const { log } = this.#dependencies;
    // A fault of this node: the peer is not to blame.
    const onFailure = (): void => this.#events.onGivenUp(piece);
    contain({ log, message: "An extension could not be applied", onFailure }, async () =>
      this.#take(piece, await offered.apply((evidence) => this.#events.onEvidence(piece, evidence))),
    )?.then(() => {
      this.#isApplying = false;
      if (!this.#ended) this.#goOn(() => this.#events.onAttempted());
    });
  }

  /** Takes a step that no message of a peer waits for. */
  #goOn(step: () => void): void {
    const { log } = this.#dependencies;
    const onFailure = (): void => this.#events.onFault(this.queue.pieces[0]?.peer);
    contain({ log, message: "The next extension could not be applied", onFailure }, step);
  }

  /** Drops the queue. A piece that is being applied is finished, and its result ignored. */
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
    this.#cancelRetry = clock.after(RETRY_DELAY_MS, () => {
      this.#cancelRetry = undefined;
      this.#goOn(() => this.apply());
    });
  }
}
