import type { Cancel, Clock } from "../../interfaces.ts";
import type { Peer } from "../connections/peer.ts";

const CLAIM_TIMEOUT_MS = 60_000;
/** Limit of `extraMs` and of `downloadMs`. */
const MAX_EXTRA_MS = 600_000;
/** Above this `earlyMs`, an early answer counts as empty. */
const MAX_EARLY_MS = 60_000;

interface ClaimState {
  readonly isAsked: (peer: Peer) => boolean;
  /** True while the peer's blocks wait for our chain, or a deep-branch search asks the peer. */
  readonly isPaused: (peer: Peer) => boolean;
  readonly claimsMore: (peer: Peer) => boolean;
}

/** A claimed chain that a peer has not sent yet. */
interface Claim {
  /** Highest score for which the peer was asked. */
  score: bigint;
  /** True after an answer with nothing better than our chain. A higher claim does not reset it. */
  hasEmptyAnswer: boolean;
  /** Time used before `since`, ms. */
  usedMs: number;
  /** Additional time for received blocks, ms. */
  extraMs: number;
  /** Additional time for the longest download, ms. */
  downloadMs: number;
  /** Sum of the waits for blocks dated ahead of our clock, ms. */
  earlyMs: number;
  /** Monotonic start of the timer, ms; undefined while it is stopped. */
  since: number | undefined;
  cancel: Cancel;
}

/** Time left when the timer last stopped, ms. */
function remainingMs(claim: Claim): number {
  return CLAIM_TIMEOUT_MS + claim.extraMs + claim.downloadMs - claim.usedMs;
}

/**
 * Limits the time in which a peer must send the better chain that it claims. The time runs while the node waits for the
 * peer's answer and, after an empty answer, while the peer claims a better chain. The time stops while `isPaused` is true.
 */
export class ClaimDeadlines {
  readonly #clock: Pick<Clock, "monotonic" | "after">;
  readonly #onExpired: (peer: Peer) => void;
  readonly #claims = new Map<Peer, Claim>();

  constructor(clock: Pick<Clock, "monotonic" | "after">, onExpired: (peer: Peer) => void) {
    this.#clock = clock;
    this.#onExpired = onExpired;
  }

  get size(): number {
    return this.#claims.size;
  }

  asked(peer: Peer, score: bigint): void {
    const claim = this.#claims.get(peer);
    if (claim === undefined)
      this.#claims.set(peer, {
        score,
        hasEmptyAnswer: false,
        usedMs: 0,
        extraMs: 0,
        downloadMs: 0,
        earlyMs: 0,
        since: undefined,
        cancel: () => {},
      });
    else if (score > claim.score) claim.score = score;
  }

  answeredEmpty(peer: Peer): void {
    const claim = this.#claims.get(peer);
    if (claim !== undefined) claim.hasEmptyAnswer = true;
  }

  extend(peer: Peer, ms: number): void {
    this.#updateClaim(peer, (claim) => {
      claim.extraMs = Math.min(MAX_EXTRA_MS, claim.extraMs + ms);
    });
  }

  /** Only the longest download counts. */
  allowDownload(peer: Peer, ms: number): void {
    this.#updateClaim(peer, (claim) => {
      claim.downloadMs = Math.max(claim.downloadMs, Math.min(MAX_EXTRA_MS, ms));
    });
  }

  /** @param ms time until the block is due */
  answeredEarly(peer: Peer, ms: number): void {
    const claim = this.#claims.get(peer);
    if (claim === undefined) return;
    claim.earlyMs += ms;
    claim.hasEmptyAnswer = claim.earlyMs > MAX_EARLY_MS;
  }

  /** Ends the claim without a consequence for the peer. */
  settled(peer: Peer): void {
    this.#claims.get(peer)?.cancel();
    this.#claims.delete(peer);
  }

  /** Ends the claims that our chain's score has reached. */
  overtaken(score: bigint): void {
    for (const [peer, claim] of this.#claims) if (claim.score <= score) this.settled(peer);
  }

  /** Call this when a `ClaimState` function's result may have changed. */
  update({ isAsked, isPaused, claimsMore }: ClaimState): void {
    for (const [peer, claim] of this.#claims) {
      // The loader asks one peer at a time: after an empty answer, the time also runs without a request.
      const isCounted = isAsked(peer) || (claim.hasEmptyAnswer && claimsMore(peer));
      // A due timer must not be stopped: it would run only when the peer is asked again.
      const shouldRun = (isCounted || this.#isDue(claim)) && !isPaused(peer);
      if (shouldRun === (claim.since !== undefined)) continue;
      this.#stopTimer(claim);
      if (shouldRun) this.#startTimer(peer, claim);
    }
  }

  end(): void {
    for (const peer of [...this.#claims.keys()]) this.settled(peer);
  }

  #updateClaim(peer: Peer, change: (claim: Claim) => void): void {
    const claim = this.#claims.get(peer);
    if (claim === undefined) return;
    change(claim);
    if (claim.since === undefined) return;
    this.#stopTimer(claim);
    this.#startTimer(peer, claim);
  }

  #isDue(claim: Claim): boolean {
    return claim.since !== undefined && this.#clock.monotonic() - claim.since >= remainingMs(claim);
  }

  #startTimer(peer: Peer, claim: Claim): void {
    claim.since = this.#clock.monotonic();
    claim.cancel = this.#clock.after(Math.max(0, remainingMs(claim)), () => {
      this.#claims.delete(peer);
      this.#onExpired(peer);
    });
  }

  #stopTimer(claim: Claim): void {
    claim.cancel();
    claim.cancel = () => {};
    if (claim.since !== undefined) claim.usedMs += this.#clock.monotonic() - claim.since;
    claim.since = undefined;
  }
}
