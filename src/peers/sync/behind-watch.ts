import type { ChainEvidence } from "../../chain/deciding/extension-rules.ts";
import type { Clock } from "../../interfaces.ts";
import type { Peer } from "../connections/peer.ts";

const EVIDENCE_TIMEOUT_MS = 60_000;
/** Age above which our newest block is old, in mean block delays. */
const STALE_DELAYS = 3;

interface OwnChain {
  readonly score: bigint;
  /** Timestamp of the newest key block, ms. */
  readonly timestamp: bigint;
}

interface BetterChain {
  readonly peer: Peer;
  readonly evidence: ChainEvidence;
}

/**
 * The node *catches up* if our newest block is old and an extension passed the checks: it is undecided, or was applied
 * in the last `EVIDENCE_TIMEOUT_MS`. The node is *behind* if an undecided extension has a better score than our chain,
 * or if the node catches up and a peer claims a better chain.
 */
export class BehindWatch {
  readonly #clock: Pick<Clock, "now" | "monotonic">;
  readonly #staleMs: number;
  #pending: BetterChain | undefined;
  /** `at`: monotonic, ms. */
  #applied: (BetterChain & { readonly at: number }) | undefined;

  constructor(clock: Pick<Clock, "now" | "monotonic">, blockDelayMs: number) {
    this.#clock = clock;
    this.#staleMs = STALE_DELAYS * blockDelayMs;
  }

  /** Records an extension that passed the checks. */
  found(peer: Peer, evidence: ChainEvidence): void {
    this.#pending = { peer, evidence };
  }

  /** Records that the found extension was applied or refused. */
  settled(isApplied: boolean): void {
    if (isApplied && this.#pending !== undefined)
      this.#applied = { ...this.#pending, at: this.#clock.monotonic() };
    this.#pending = undefined;
  }

  /**
   * The better chain; undefined if this node is not behind.
   * @param isClaimed true if a peer claims a better chain
   */
  better(own: OwnChain, isClaimed: boolean): BetterChain | undefined {
    const pending = this.#pending;
    if (pending !== undefined && pending.evidence.score > own.score) return pending;
    return isClaimed && this.isCatchingUp(own) ? (pending ?? this.#applied) : undefined;
  }

  isCatchingUp({ timestamp }: OwnChain): boolean {
    const isOld = this.#clock.now() - Number(timestamp) > this.#staleMs;
    const since = this.#applied && this.#clock.monotonic() - this.#applied.at;
    return isOld && (this.#pending !== undefined || (since !== undefined && since < EVIDENCE_TIMEOUT_MS));
  }
}
