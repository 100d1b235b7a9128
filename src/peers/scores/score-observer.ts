/** Whom to sync from. Page 04 §10.2. */
import type { Clock, Random } from "../../interfaces.ts";
import { ExpiringMap } from "../../runtime/expiring-map.ts";
import { pickRandom } from "../random-choice.ts";
import { Debounce } from "./debounce.ts";

/** A peer whose chain is said to be better than ours. */
export interface SyncPeer<Peer> {
  readonly peer: Peer;
  /** What it says of its chain: a claim. */
  readonly score: bigint;
}

/** What the observer tells. */
export interface ScoreEvent<Peer> {
  /** The connection whose end, or whose silence, led to it. */
  readonly closed: Peer | undefined;
  /** Whom to sync from now; undefined: nobody says to be ahead of us. */
  readonly syncWith: SyncPeer<Peer> | undefined;
}

interface ScoreObserverDependencies<Peer> {
  readonly clock: Clock;
  readonly random: Random;
  /** How long a score must stay the same before it counts, ms. */
  readonly debounceMs: number;
  /** Score of our chain at the start. */
  readonly localScore: bigint;
  /** Peers of one group may be in one hand: the failure of one counts against all of them. */
  readonly groupOf: (peer: Peer) => string;
  /** Told whenever the answer changes, and when a connection ended. */
  readonly onEvent: (event: ScoreEvent<Peer>) => void;
  /** Told when the score of a peer counts, after `onEvent`. */
  readonly onScore?: (() => void) | undefined;
}

interface Entry {
  /** The last score that came; equal ones behind it say nothing new. */
  last: bigint;
  /** What counts, once it has stayed for a while. */
  score: bigint | undefined;
  /** The score that the peer's chain turned out not to have. */
  unfounded: bigint | undefined;
  /** How often it was asked in vain since it last brought something. */
  failures: number;
  readonly debounce: Debounce<bigint>;
}

/** How long the failures of a group count behind the last one, ms, and of how many groups they are kept. */
const FAILURE_LIFETIME_MS = 600_000;
const MAX_GROUPS = 1_000;

/**
 * Keeps the last score of each open connection and says which peer is ahead of us the most. A peer is chosen as long as
 * it leads; of several that lead alike, any. Scores go with their connections, those that wait included.
 *
 * A score is only a claim, and a new one costs nothing: so those who were asked in vain least often come first, whatever
 * the others say. Otherwise two who say more and more by turns would be the only ones who are ever asked. Once a peer was
 * asked in vain, the peer whose claim is oldest comes first among these, not the one with the highest claim: so peers that
 * connect, claim and leave in a row are asked after all others.
 */
export class ScoreObserver<Peer> {
  readonly #dependencies: ScoreObserverDependencies<Peer>;
  readonly #entries = new Map<Peer, Entry>();
  #localScore: bigint;
  #best: Peer | undefined;
  #told: ScoreEvent<Peer> | undefined;
  /** How often peers of a group were asked in vain lately, since one of them last brought something. */
  readonly #failures: ExpiringMap<number>;

  constructor(dependencies: ScoreObserverDependencies<Peer>) {
    this.#dependencies = dependencies;
    this.#localScore = dependencies.localScore;
    this.#failures = new ExpiringMap(dependencies.clock, FAILURE_LIFETIME_MS, MAX_GROUPS);
  }

  /** Our chain has another score: that which it really has, after blocks were removed too. */
  localChanged(score: bigint): void {
    this.#localScore = score;
    this.#tell();
  }

  /** A peer that is connected told its score. */
  received(peer: Peer, score: bigint): void {
    const entry = this.#entries.get(peer) ?? this.#enter(peer);
    if (entry.last === score) return;
    entry.last = score;
    entry.debounce.set(score);
  }

  /** The connection has ended, or the peer did not answer in time: its score does not count any more. */
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
   * The peer has shown all of its chain, and it is not better than ours: it is asked again when its score changes. It may
   * well be honest (page 04 §26, rule 17).
   */
  markUnfounded(peer: Peer): void {
    const entry = this.#entries.get(peer);
    if (entry === undefined) return;
    entry.unfounded = entry.score;
    entry.failures++;
    this.#failed(peer);
    this.#tell();
  }

  /** What the peer sent made our chain better. */
  markProven(peer: Peer): void {
    const entry = this.#entries.get(peer);
    if (entry !== undefined) entry.failures = 0;
    this.#failures.delete(this.#dependencies.groupOf(peer));
  }

  /** What was said against the peer holds no longer. */
  reconsider(peer: Peer): void {
    const entry = this.#entries.get(peer);
    if (entry?.unfounded === undefined) return;
    entry.unfounded = undefined;
    this.#tell();
  }

  /** What a peer says of its chain; undefined: it did not yet. */
  scoreOf(peer: Peer): bigint | undefined {
    return this.#entries.get(peer)?.last;
  }

  /** Returns true if the score of a peer counts and is above ours, founded or not. */
  claimsMore(peer: Peer): boolean {
    const score = this.#entries.get(peer)?.score;
    return score !== undefined && score > this.#localScore;
  }

  /** The answer as it stands. */
  get syncWith(): SyncPeer<Peer> | undefined {
    return this.#told?.syncWith;
  }

  /** Number of peers whose scores are known. */
  get size(): number {
    return this.#entries.size;
  }

  get localScore(): bigint {
    return this.#localScore;
  }

  /** Whether somebody else than a peer says to be ahead of us. */
  hasOther(peer: Peer): boolean {
    return this.#ahead().some(([other]) => other !== peer);
  }

  #enter(peer: Peer): Entry {
    const { clock, debounceMs } = this.#dependencies;
    const entry: Entry = {
      // No score is negative.
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

  /** Who says to be ahead of us, and has not been found out. */
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

  /** Returns the peer that was chosen before, or else the one whose claim is oldest: entries are in that order. */
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

/** Returns the candidates with the highest score. */
function highest<Peer>(candidates: readonly [Peer, bigint][]): readonly [Peer, bigint][] {
  let top = 0n;
  for (const [, score] of candidates) if (score > top) top = score;
  return candidates.filter(([, score]) => score === top);
}

/** Those of which there is least. */
function least<T>(all: readonly T[], countOf: (one: T) => number): readonly T[] {
  const counts = all.map(countOf);
  const lowest = Math.min(...counts);
  return all.filter((_, i) => counts[i] === lowest);
}
