/** How long a peer may claim a better chain without showing it. */
import type { Cancel, Clock } from "../../interfaces.ts";
import type { Peer } from "../connections/peer.ts";

/** How long a peer that is asked for the chain that it claims may show nothing of it, ms. */
export const CLAIM_TIMEOUT_MS = 60_000;
/** What downloads add to that, and how long early blocks are waited for, ms: at most, for one claim. */
const MAX_EXTRA_MS = 600_000;

/** What a peer owes since it was first asked for a chain that it claims. */
interface Claim {
  /** The greatest score that it was asked about. */
  score: bigint;
  /** It has answered, and shown nothing better than our chain. */
  isEmpty: boolean;
  /** How long its time has run before `since`, ms. */
  usedMs: number;
  /** How much longer than `CLAIM_TIMEOUT_MS` it has, ms. */
  extraMs: number;
  /** How long it was excused for early blocks, ms. */
  earlyMs: number;
  /** Since when its time runs; undefined while it does not. */
  since: number | undefined;
  cancel: Cancel;
}

/**
 * Counts the time in which peers are asked for the chains that they claim. Time in which a peer is not asked, or in which
 * its blocks wait for our chain, does not count. A peer that raises its claim goes on with the time that it has used.
 */
export class ClaimDeadlines {
  readonly #clock: Pick<Clock, "monotonic" | "after">;
  readonly #onExpired: (peer: Peer) => void;
  readonly #claims = new Map<Peer, Claim>();

  /** @param onExpired told of a peer that has claimed a better chain for too long */
  constructor(clock: Pick<Clock, "monotonic" | "after">, onExpired: (peer: Peer) => void) {
    this.#clock = clock;
    this.#onExpired = onExpired;
  }

  /** Number of peers that owe something. */
  get size(): number {
    return this.#claims.size;
  }

  /** A peer is asked for a chain of this score. */
  asked(peer: Peer, score: bigint): void {
    const claim = this.#claims.get(peer);
    if (claim === undefined)
      this.#claims.set(peer, {
        score,
        isEmpty: false,
        usedMs: 0,
        extraMs: 0,
        earlyMs: 0,
        since: undefined,
        cancel: () => {},
      });
    else {
      if (score > claim.score) claim.score = score;
      claim.isEmpty = false;
    }
  }

  /** The peer has answered, and has nothing better than our chain: its time runs whether it is asked or not. */
  empty(peer: Peer): void {
    const claim = this.#claims.get(peer);
    if (claim !== undefined) claim.isEmpty = true;
  }

  /** The peer has so many ms more: it lists blocks or sends them. How long those may take, their download bounds. */
  extend(peer: Peer, ms: number): void {
    const claim = this.#claims.get(peer);
    if (claim === undefined) return;
    claim.extraMs = Math.min(MAX_EXTRA_MS, claim.extraMs + ms);
    if (claim.since === undefined) return;
    this.#stop(claim);
    this.#run(peer, claim);
  }

  /** The blocks of the peer are dated ahead of our clock by so many ms. They are waited for, but not for ever. */
  early(peer: Peer, ms: number): void {
    const claim = this.#claims.get(peer);
    if (claim === undefined) return;
    claim.earlyMs += ms;
    claim.isEmpty = claim.earlyMs > MAX_EXTRA_MS;
  }

  /** The peer has shown blocks that make a better chain, or it is not up to the peer that our chain cannot take them. */
  settled(peer: Peer): void {
    this.#claims.get(peer)?.cancel();
    this.#claims.delete(peer);
  }

  /** Our chain has this score: who was asked about less owes nothing. */
  overtaken(score: bigint): void {
    for (const [peer, claim] of this.#claims) if (claim.score <= score) this.settled(peer);
  }

  /**
   * Lets the time of peers run or stand still; to be called whenever that may have changed.
   * @param isAsked whether a peer is asked now
   * @param isExcused whether a peer's blocks wait for our chain
   */
  update(isAsked: (peer: Peer) => boolean, isExcused: (peer: Peer) => boolean): void {
    for (const [peer, claim] of this.#claims) {
      const runs = (claim.isEmpty || isAsked(peer)) && !isExcused(peer);
      if (runs === (claim.since !== undefined)) continue;
      this.#stop(claim);
      if (runs) this.#run(peer, claim);
    }
  }

  end(): void {
    for (const peer of [...this.#claims.keys()]) this.settled(peer);
  }

  #run(peer: Peer, claim: Claim): void {
    claim.since = this.#clock.monotonic();
    const leftMs = Math.max(0, CLAIM_TIMEOUT_MS + claim.extraMs - claim.usedMs);
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
