import type { ChainEvidence } from "../../chain/deciding/extension-rules.ts";
import type { Clock } from "../../interfaces.ts";
import type { Peer } from "../connections/peer.ts";

const EVIDENCE_TIMEOUT_MS = 60_000;
/** Age above which the newest block is old, in mean block delays. */
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
 * The node is *behind* while one of these holds:
 * - Blocks that passed the checks of an extension have a better score, and the chain has not decided about
 *   them yet.
 * - The node *catches up*: it applied blocks of this kind in the last `EVIDENCE_TIMEOUT_MS`, our newest block is old,
 *   and a peer claims a better chain.
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

  found(peer: Peer, evidence: ChainEvidence): void {
    this.#pending = { peer, evidence };
  }

  /** Records that the chain has decided about the blocks. */
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
