/** Chooses the peer to sync from. Page 04 §10.2. */
import type { Clock, Random } from "../../interfaces.ts";
import { ExpiringMap } from "../../runtime/expiring-map.ts";
import { pickRandom } from "../random-choice.ts";
import { Debounce } from "./debounce.ts";

/** Claims a better chain than ours. */
export interface SyncPeer<Peer> {
  readonly peer: Peer;
  readonly score: bigint;
}

export interface ScoreEvent<Peer> {
  /** The peer whose disconnection or silence caused the event, if any. */
  readonly closed: Peer | undefined;
  /** Undefined: no peer claims a better chain. */
  readonly syncWith: SyncPeer<Peer> | undefined;
}

interface ScoreObserverDependencies<Peer> {
  readonly clock: Clock;
  readonly random: Random;
  /** Debounce time of scores, ms. */
  readonly debounceMs: number;
  readonly localScore: bigint;
  /** Peers of one group may have one owner: one's failure counts against all. */
  readonly groupOf: (peer: Peer) => string;
  /** Called when the choice changes, and when a connection ended. */
  readonly onEvent: (event: ScoreEvent<Peer>) => void;
  /** Called after `onEvent` when a peer's score takes effect. */
  readonly onScore?: (() => void) | undefined;
}

interface Entry {
  /** Last received score. Repetition has no effect. */
  last: bigint;
  score: bigint | undefined;
  /** A score that the peer's chain turned out not to have. */
  unfounded: bigint | undefined;
  /** Failed requests since the peer last brought something. */
  failures: number;
  readonly debounce: Debounce<bigint>;
}

/** How long a group's failures count after the last one, ms, and the maximum number of groups. */
const FAILURE_LIFETIME_MS = 600_000;
const MAX_GROUPS = 1_000;

/**
 * Keeps each peer's last score and chooses the sync peer: the one with the highest score, while it leads; of several,
 * a random one.
 *
 * Scores are free claims, so peers with the fewest failed requests come first, whatever others claim. Otherwise two
 * peers that outbid each other would be the only ones asked. After a failure the oldest claim among these comes
 * first, not the highest: peers that connect, claim and leave in a row are asked last.
 */
export class ScoreObserver<Peer> {
  readonly #dependencies: ScoreObserverDependencies<Peer>;
  readonly #entries = new Map<Peer, Entry>();
  #localScore: bigint;
  #best: Peer | undefined;
  #told: ScoreEvent<Peer> | undefined;
  /** Failed requests per group since one of its peers last brought something. */
  readonly #failures: ExpiringMap<number>;

  constructor(dependencies: ScoreObserverDependencies<Peer>) {
    this.#dependencies = dependencies;
    this.#localScore = dependencies.localScore;
    this.#failures = new ExpiringMap(dependencies.clock, FAILURE_LIFETIME_MS, MAX_GROUPS);
  }

  /** Updates our score, which may fall after a rollback. */
  localChanged(score: bigint): void {
    this.#localScore = score;
    this.#tell();
  }

  received(peer: Peer, score: bigint): void {
    const entry = this.#entries.get(peer) ?? this.#enter(peer);
    if (entry.last === score) return;
    entry.last = score;
    entry.debounce.set(score);
  }

  /** Removes a peer that disconnected or did not answer in time. */
  closed(peer: Peer): void {
    this.#entries.get(peer)?.debounce.cancel();
    this.#entries.delete(peer);
    if (this.#best === peer) {
      this.#failed(peer);
      this.#best = undefined;
    }
    this.#tell(peer);
  }

  /**
   * Records that a peer's whole chain is not better than ours: it is asked again when its score changes. It may be
   * honest (page 04 §26, rule 17).
   */
  markUnfounded(peer: Peer): void {
    const entry = this.#entries.get(peer);
    if (entry === undefined) return;
    entry.unfounded = entry.score;
    entry.failures++;
    this.#failed(peer);
    this.#tell();
  }

  /** Records that a peer's blocks improved our chain. */
  markProven(peer: Peer): void {
    const entry = this.#entries.get(peer);
    if (entry !== undefined) entry.failures = 0;
    this.#failures.delete(this.#dependencies.groupOf(peer));
  }

  reconsider(peer: Peer): void {
    const entry = this.#entries.get(peer);
    if (entry?.unfounded === undefined) return;
    entry.unfounded = undefined;
    this.#tell();
  }

  scoreOf(peer: Peer): bigint | undefined {
    return this.#entries.get(peer)?.last;
  }

  /** Returns true if a peer's debounced score is above ours, founded or not. */
  claimsMore(peer: Peer): boolean {
    const score = this.#entries.get(peer)?.score;
    return score !== undefined && score > this.#localScore;
  }

  get syncWith(): SyncPeer<Peer> | undefined {
    return this.#told?.syncWith;
  }

  get size(): number {
    return this.#entries.size;
  }

  get localScore(): bigint {
    return this.#localScore;
  }

  hasOther(peer: Peer): boolean {
    return this.#ahead().some(([other]) => other !== peer);
  }

  #enter(peer: Peer): Entry {
    const { clock, debounceMs } = this.#dependencies;
    const entry: Entry = {
      last: -1n,
      score: undefined,
      unfounded: undefined,
      failures: 0,
      debounce: new Debounce<bigint>(clock, debounceMs, (score) => {
        entry.score = score;
        entry.unfounded = undefined;
        this.#tell();
        this.#dependencies.onScore?.();
      }),
    };
    this.#entries.set(peer, entry);
    return entry;
  }

  /** Returns peers with a better claim that is not unfounded. */
  #ahead(): [Peer, bigint][] {
    const ahead: [Peer, bigint][] = [];
    for (const [peer, { score, unfounded }] of this.#entries)
      if (score !== undefined && score !== unfounded && score > this.#localScore) ahead.push([peer, score]);
    return ahead;
  }

  #failed(peer: Peer): void {
    const group = this.#dependencies.groupOf(peer);
    this.#failures.set(group, (this.#failures.get(group) ?? 0) + 1);
  }

  #choose(): SyncPeer<Peer> | undefined {
    const { groupOf, random } = this.#dependencies;
    const ofGroup = least(this.#ahead(), ([peer]) => this.#failures.get(groupOf(peer)) ?? 0);
    const candidates = least(ofGroup, ([peer]) => this.#entries.get(peer)?.failures ?? 0);
    const holders = this.#failures.size > 0 ? this.#longestClaiming(candidates) : highest(candidates);
    const stays = holders.find(([peer]) => peer === this.#best);
    const chosen = stays ?? pickRandom(random, holders);
    return chosen && { peer: chosen[0], score: chosen[1] };
  }

  /** Returns the sync peer, else the one with the oldest claim: entries are in that order. */
  #longestClaiming(candidates: readonly [Peer, bigint][]): readonly [Peer, bigint][] {
    const best = candidates.find(([peer]) => peer === this.#best);
    return best === undefined ? candidates.slice(0, 1) : [best];
  }

  #tell(closed?: Peer): void {
    const syncWith = this.#choose();
    this.#best = syncWith?.peer;
    const told = this.#told;
    if (
      told !== undefined &&
      told.closed === closed &&
      told.syncWith?.peer === syncWith?.peer &&
      told.syncWith?.score === syncWith?.score
    )
      return;
    this.#told = { closed, syncWith };
    this.#dependencies.onEvent(this.#told);
  }
}

function highest<Peer>(candidates: readonly [Peer, bigint][]): readonly [Peer, bigint][] {
  let top = 0n;
  for (const [, score] of candidates) if (score > top) top = score;
  return candidates.filter(([, score]) => score === top);
}

function least<T>(all: readonly T[], countOf: (one: T) => number): readonly T[] {
  const counts = all.map(countOf);
  const lowest = Math.min(...counts);
  return all.filter((_, i) => counts[i] === lowest);
}
