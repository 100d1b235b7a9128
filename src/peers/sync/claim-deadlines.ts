/** Limits how long a peer may claim a better chain without showing it. */
import type { Cancel, Clock } from "../../interfaces.ts";
import type { Peer } from "../connections/peer.ts";

/** How long a peer may be asked for its claimed chain and show nothing of it, ms. */
const CLAIM_TIMEOUT_MS = 60_000;
/** Upper bound of the time that blocks add to one claim, and of the time that downloads add, ms. */
const MAX_EXTRA_MS = 600_000;
/** Upper bound of the time that one claim is excused for early blocks, ms. To date a block ahead costs nothing. */
const MAX_EARLY_MS = 60_000;

/** What decides whether the time of a claim runs. */
interface ClaimState {
  /** Returns true if the peer is being asked. */
  readonly isAsked: (peer: Peer) => boolean;
  /** Returns true if the peer's blocks wait for our chain. */
  readonly isExcused: (peer: Peer) => boolean;
  /** Returns true if the peer's score that counts now is above ours. */
  readonly claimsMore: (peer: Peer) => boolean;
}

/** A claim of a peer that was asked for its chain and has not shown it yet. */
interface Claim {
  /** The greatest score that it was asked about. */
  score: bigint;
  /** The peer has answered and shown nothing better than our chain. To raise the claim does not undo that. */
  isEmpty: boolean;
  /** Time that was used before `since`, ms. */
  usedMs: number;
  /** Time that blocks which arrived add to `CLAIM_TIMEOUT_MS`, ms. */
  extraMs: number;
  /** Time that the longest download adds, ms. To list blocks costs nothing, so further downloads do not add to it. */
  downloadMs: number;
  /** Time that it was excused for early blocks, ms. */
  earlyMs: number;
  /** When its time began to run, by the monotonic clock, ms; undefined while it does not run. */
  since: number | undefined;
  cancel: Cancel;
}

/**
 * Measures how long each peer is asked for the chain that it claims. Time in which a peer is not asked, or in which its
 * blocks wait for our chain, does not count. Neither does time in which a peer that answered has taken its claim back.
 * Nothing resets the time used: neither a higher claim nor one that is taken back and made again.
 */
export class ClaimDeadlines {
  readonly #clock: Pick<Clock, "monotonic" | "after">;
  readonly #onExpired: (peer: Peer) => void;
  readonly #claims = new Map<Peer, Claim>();

  /** @param onExpired called with a peer that has claimed a better chain for too long */
  constructor(clock: Pick<Clock, "monotonic" | "after">, onExpired: (peer: Peer) => void) {
    this.#clock = clock;
    this.#onExpired = onExpired;
  }

  /** Number of peers with an open claim. */
  get size(): number {
    return this.#claims.size;
  }

  /** Opens a claim, or raises it: the peer is asked for a chain of this score. */
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

  /** The peer answered with nothing better than our chain: its time runs from now on while it claims more, asked or not. */
  answeredEmpty(peer: Peer): void {
    const claim = this.#claims.get(peer);
    if (claim !== undefined) claim.isEmpty = true;
  }

  /** Gives the peer more time for a block that it sent. */
  extend(peer: Peer, ms: number): void {
    this.#change(peer, (claim) => {
      claim.extraMs = Math.min(MAX_EXTRA_MS, claim.extraMs + ms);
    });
  }

  /** Gives the peer the time of a download, once for all its downloads: no other peer can be asked. */
  allowDownload(peer: Peer, ms: number): void {
    this.#change(peer, (claim) => {
      claim.downloadMs = Math.max(claim.downloadMs, Math.min(MAX_EXTRA_MS, ms));
    });
  }

  /** The peer's blocks are dated `ms` ahead of our clock. It is excused meanwhile, up to a limit in all. */
  answeredEarly(peer: Peer, ms: number): void {
    const claim = this.#claims.get(peer);
    if (claim === undefined) return;
    claim.earlyMs += ms;
    claim.isEmpty = claim.earlyMs > MAX_EARLY_MS;
  }

  /** Closes a claim: the peer has shown a better chain, or this node cannot take its blocks. */
  settled(peer: Peer): void {
    this.#claims.get(peer)?.cancel();
    this.#claims.delete(peer);
  }

  /** Closes all claims up to the score that our chain has now. */
  overtaken(score: bigint): void {
    for (const [peer, claim] of this.#claims) if (claim.score <= score) this.settled(peer);
  }

  /** Starts or stops the time of each claim. The caller calls it whenever one of the answers may have changed. */
  update({ isAsked, isExcused, claimsMore }: ClaimState): void {
    for (const [peer, claim] of this.#claims) {
      // An open question occupies the loader, whatever its peer claims meanwhile.
      const runs = (isAsked(peer) || (claim.isEmpty && claimsMore(peer))) && !isExcused(peer);
      if (runs === (claim.since !== undefined)) continue;
      this.#stop(claim);
      if (runs) this.#run(peer, claim);
    }
  }

  end(): void {
    for (const peer of [...this.#claims.keys()]) this.settled(peer);
  }

  /** Changes the limit of a claim, whose time may be running. */
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
