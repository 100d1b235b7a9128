/** Decides whether this node is behind others: by fetched and checked blocks, never by what peers claim. */
import type { ChainEvidence } from "../../chain/deciding/extension-rules.ts";
import type { Clock } from "../../interfaces.ts";
import type { Peer } from "../connections/peer.ts";

/** How long after the last evidence the node may count as catching up, ms. */
const EVIDENCE_TIMEOUT_MS = 60_000;
/** A newest block older than this counts as old, in mean delays between blocks. */
const STALE_DELAYS = 3;

/** The facts about our chain that matter here. */
interface OwnChain {
  readonly score: bigint;
  /** Time of the newest key block, ms. */
  readonly timestamp: bigint;
}

/** A better chain that a peer has proved. */
interface BetterChain {
  readonly peer: Peer;
  readonly evidence: ChainEvidence;
}

/**
 * The node is *behind* while one of these holds:
 *
 * - Blocks that passed the checks of an extension (`onEvidence`) beat our score, and the chain has neither applied nor
 *   refused them yet.
 * - It *catches up*: such blocks came within `EVIDENCE_TIMEOUT_MS`, our newest block is still old, and a peer claims more.
 *   So a first sync is one pause from its first blocks to its last. At the tip the newest block is young, and no claim
 *   pauses anything.
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

  /** Blocks of a peer passed the checks, and will be applied now. */
  found(peer: Peer, evidence: ChainEvidence): void {
    this.#pending = { peer, evidence };
  }

  /** The chain has applied these blocks, or refused them, or could not apply them. @param isTaken true: applied */
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

  /** Returns true if proven blocks came lately and our newest block is still old. */
  isCatchingUp({ timestamp }: OwnChain): boolean {
    const isOld = this.#clock.now() - Number(timestamp) > this.#staleMs;
    const since = this.#taken && this.#clock.monotonic() - this.#taken.at;
    return isOld && (this.#pending !== undefined || (since !== undefined && since < EVIDENCE_TIMEOUT_MS));
  }
}
