/** Whether this node is behind others: decided by blocks that were fetched and checked, never by what peers claim. */
import type { ChainEvidence } from "../../chain/deciding/extension-rules.ts";
import type { Clock } from "../../interfaces.ts";
import type { Peer } from "../connections/peer.ts";

/** How long blocks that were taken are a sign that more will follow, ms. */
export const EVIDENCE_TIMEOUT_MS = 60_000;
/** From this age on, in mean delays between blocks, the newest block is one of a chain that is being caught up with. */
const STALE_DELAYS = 3;

/** What the chain is now, as far as it matters here. */
export interface OwnChain {
  readonly score: bigint;
  /** Time of the newest key block, ms. */
  readonly timestamp: bigint;
}

/** A better chain that is known of. */
export interface BetterChain {
  readonly peer: Peer;
  readonly evidence: ChainEvidence;
}

/**
 * The node is *behind* while one of these holds:
 *
 * - Blocks that passed the checks of an extension (`onEvidence`) beat our score, and the chain has neither taken nor
 *   refused them.
 * - It *catches up*: such blocks came within `EVIDENCE_TIMEOUT_MS`, our newest block is old all the same, and a peer
 *   claims still more. So a first sync is one pause from its first blocks to its last, while at the tip, where the newest
 *   block is young, no claim pauses anything.
 */
export class BehindWatch {
  readonly #clock: Pick<Clock, "now" | "monotonic">;
  readonly #staleMs: number;
  #pending: BetterChain | undefined;
  #taken: (BetterChain & { readonly at: number }) | undefined;

  /** @param blockDelayMs mean delay between the blocks of the network, ms */
  constructor(clock: Pick<Clock, "now" | "monotonic">, blockDelayMs: number) {
    this.#clock = clock;
    this.#staleMs = STALE_DELAYS * blockDelayMs;
  }

  /** Blocks of a peer have passed the checks, and are about to be taken. */
  found(peer: Peer, evidence: ChainEvidence): void {
    this.#pending = { peer, evidence };
  }

  /** The chain has taken what was found, or has refused it, or could not take it in the end. */
  settled(isTaken: boolean): void {
    if (isTaken && this.#pending !== undefined)
      this.#taken = { ...this.#pending, at: this.#clock.monotonic() };
    this.#pending = undefined;
  }

  /**
   * Returns the better chain that this node is behind; undefined if it is not.
   * @param isClaimed whether a peer claims more than our chain
   */
  better(own: OwnChain, isClaimed: boolean): BetterChain | undefined {
    const pending = this.#pending;
    if (pending !== undefined && pending.evidence.score > own.score) return pending;
    return isClaimed && this.isCatchingUp(own) ? (pending ?? this.#taken) : undefined;
  }

  /** Returns true if proven blocks came lately and our newest block is old all the same. */
  isCatchingUp({ timestamp }: OwnChain): boolean {
    const isOld = this.#clock.now() - Number(timestamp) > this.#staleMs;
    const since = this.#taken && this.#clock.monotonic() - this.#taken.at;
    return isOld && (this.#pending !== undefined || (since !== undefined && since < EVIDENCE_TIMEOUT_MS));
  }
}
