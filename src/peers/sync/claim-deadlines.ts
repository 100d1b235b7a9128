/** Limits how long a peer may claim a better chain without showing it. */
import type { Cancel, Clock } from "../../interfaces.ts";
import type { Peer } from "../connections/peer.ts";

/** How long a peer may be asked and show nothing of its chain, ms. */
const CLAIM_TIMEOUT_MS = 60_000;
/** Upper bounds of the time that blocks, and downloads, add to one claim, ms. */
const MAX_EXTRA_MS = 600_000;
/** Upper bound of the time for early blocks per claim, ms: dating a block ahead costs nothing. */
const MAX_EARLY_MS = 60_000;

interface ClaimState {
  readonly isAsked: (peer: Peer) => boolean;
  /** Returns true if blocks of the peer wait for our chain. */
  readonly isExcused: (peer: Peer) => boolean;
  /** Returns true if the peer's current score is above ours. */
  readonly claimsMore: (peer: Peer) => boolean;
}

/** A claim of a peer that was asked for its chain and has not shown it yet. */
interface Claim {
  /** The highest score that it was asked about. */
  score: bigint;
  /** True if the peer answered with nothing better than our chain. A higher claim does not reset it. */
  isEmpty: boolean;
  /** Time used before `since`, ms. */
  usedMs: number;
  /** Time that received blocks add to `CLAIM_TIMEOUT_MS`, ms. */
  extraMs: number;
  /** Time that the longest download adds, ms. Further downloads add nothing, because listing blocks is free. */
  downloadMs: number;
  /** Excused time for early blocks, ms. */
  earlyMs: number;
  /** When the timer started, by the monotonic clock, ms; undefined while it is stopped. */
  since: number | undefined;
  cancel: Cancel;
}

/**
 * Measures how long each peer is asked for the chain that it claims. The time is stopped while a peer is not asked,
 * while its blocks wait for our chain, and after a peer that answered has withdrawn its claim. Nothing resets the
 * time used: neither a higher claim nor one that is withdrawn and made again.
 */
export class ClaimDeadlines {
  readonly #clock: Pick<Clock, "monotonic" | "after">;
  readonly #onExpired: (peer: Peer) => void;
  readonly #claims = new Map<Peer, Claim>();

  /** @param onExpired called when a peer has claimed a better chain for too long */
  constructor(clock: Pick<Clock, "monotonic" | "after">, onExpired: (peer: Peer) => void) {
    this.#clock = clock;
    this.#onExpired = onExpired;
  }

  get size(): number {
    return this.#claims.size;
  }

  /** Opens a claim, or raises it to a score. */
  asked(peer: Peer, score: bigint): void {
    const claim = this.#claims.get(peer);
    if (claim === undefined)
      this.#claims.set(peer, {
        score,
        isEmpty: false,
        usedMs: 0,
        extraMs: 0,
        downloadMs: 0,
        earlyMs: 0,
        since: undefined,
        cancel: () => {},
      });
    else if (score > claim.score) claim.score = score;
  }

  /** The peer answered with nothing better than our chain: its time runs while it claims more, asked or not. */
  answeredEmpty(peer: Peer): void {
    const claim = this.#claims.get(peer);
    if (claim !== undefined) claim.isEmpty = true;
  }

  extend(peer: Peer, ms: number): void {
    this.#change(peer, (claim) => {
      claim.extraMs = Math.min(MAX_EXTRA_MS, claim.extraMs + ms);
    });
  }

  /** Adds the time of a download, once for all downloads: no other peer can be asked. */
  allowDownload(peer: Peer, ms: number): void {
    this.#change(peer, (claim) => {
      claim.downloadMs = Math.max(claim.downloadMs, Math.min(MAX_EXTRA_MS, ms));
    });
  }

  /** The peer's blocks are dated `ms` ahead of our clock. It is excused until then, up to a total limit. */
  answeredEarly(peer: Peer, ms: number): void {
    const claim = this.#claims.get(peer);
    if (claim === undefined) return;
    claim.earlyMs += ms;
    claim.isEmpty = claim.earlyMs > MAX_EARLY_MS;
  }

  /** Closes a claim: the peer has shown a better chain, or this node cannot apply its blocks. */
  settled(peer: Peer): void {
    this.#claims.get(peer)?.cancel();
    this.#claims.delete(peer);
  }

  /** Closes the claims up to our current score. */
  overtaken(score: bigint): void {
    for (const [peer, claim] of this.#claims) if (claim.score <= score) this.settled(peer);
  }

  /** Starts or stops the timer of each claim. Call it when one of the answers may have changed. */
  update({ isAsked, isExcused, claimsMore }: ClaimState): void {
    for (const [peer, claim] of this.#claims) {
      // An open request occupies the loader, whatever its peer claims meanwhile.
      const runs = (isAsked(peer) || (claim.isEmpty && claimsMore(peer))) && !isExcused(peer);
      if (runs === (claim.since !== undefined)) continue;
      this.#stop(claim);
      if (runs) this.#run(peer, claim);
    }
  }

  end(): void {
    for (const peer of [...this.#claims.keys()]) this.settled(peer);
  }

  /** Changes the limit of a claim and restarts its timer. */
  #change(peer: Peer, change: (claim: Claim) => void): void {
    const claim = this.#claims.get(peer);
    if (claim === undefined) return;
    change(claim);
    if (claim.since === undefined) return;
    this.#stop(claim);
    this.#run(peer, claim);
  }

  #run(peer: Peer, claim: Claim): void {
    claim.since = this.#clock.monotonic();
    const leftMs = Math.max(0, CLAIM_TIMEOUT_MS + claim.extraMs + claim.downloadMs - claim.usedMs);
    claim.cancel = this.#clock.after(leftMs, () => {
      this.#claims.delete(peer);
      this.#onExpired(peer);
    });
  }

  #stop(claim: Claim): void {
    claim.cancel();
    claim.cancel = () => {};
    if (claim.since !== undefined) claim.usedMs += this.#clock.monotonic() - claim.since;
    claim.since = undefined;
  }
}
