/** Page 04 §10.2. */
import type { Clock, Random } from "../../interfaces.ts";
import { ExpiringMap } from "../../runtime/expiring-map.ts";
import { pickRandom } from "../random-choice.ts";
import { Debounce } from "./debounce.ts";

export interface SyncPeer<Peer> {
  readonly peer: Peer;
  readonly score: bigint;
}

export interface ScoreEvent<Peer> {
  /** The peer whose disconnection caused the event, if any. */
  readonly closed: Peer | undefined;
  /** Undefined: no peer claims a better chain. */
  readonly syncWith: SyncPeer<Peer> | undefined;
}

interface ScoreObserverDependencies<Peer> {
  readonly clock: Clock;
  readonly random: Random;
  readonly debounceMs: number;
  readonly localScore: bigint;
  /** Peers of a group share their failures. */
  readonly groupOf: (peer: Peer) => string;
  readonly onEvent: (event: ScoreEvent<Peer>) => void;
  /** Called after the debounce of a score. */
  readonly onScoreInEffect?: (() => void) | undefined;
}

interface Entry {
  newestScore: bigint;
  /** The newest score that passed the debounce. */
  effectiveScore: bigint | undefined;
  /** A claimed score that the peer did not prove; with it, the peer is not chosen. */
  unfoundedScore: bigint | undefined;
  /** Failed requests since the peer's blocks last improved our chain. */
  failures: number;
  readonly debounce: Debounce<bigint>;
}

const FAILURE_LIFETIME_MS = 600_000;
const MAX_GROUPS = 1_000;

/**
 * Chooses the sync peer from the claimants with the fewest failures of their group, then of their own. It prefers the
 * highest score, then the current sync peer, and chooses at random among the others. While any group's failure is
 * remembered, it prefers the current sync peer, then the one whose first score came first.
 */
export class ScoreObserver<Peer> {
  readonly #dependencies: ScoreObserverDependencies<Peer>;
  readonly #entries = new Map<Peer, Entry>();
  #localScore: bigint;
  #syncPeer: Peer | undefined;
  #lastEvent: ScoreEvent<Peer> | undefined;
  readonly #groupFailures: ExpiringMap<number>;

  constructor(dependencies: ScoreObserverDependencies<Peer>) {
    this.#dependencies = dependencies;
    this.#localScore = dependencies.localScore;
    this.#groupFailures = new ExpiringMap(dependencies.clock, FAILURE_LIFETIME_MS, MAX_GROUPS);
  }

  localChanged(score: bigint): void {
    this.#localScore = score;
    this.#update();
  }

  received(peer: Peer, score: bigint): void {
    const entry = this.#entries.get(peer) ?? this.#addEntry(peer);
    if (entry.newestScore === score) return;
    entry.newestScore = score;
    entry.debounce.set(score);
  }

  closed(peer: Peer): void {
    this.#entries.get(peer)?.debounce.cancel();
    this.#entries.delete(peer);
    if (this.#syncPeer === peer) {
      this.#countFailure(peer);
      this.#syncPeer = undefined;
    }
    this.#update(peer);
  }

  /** Does not choose a peer until its score changes, and counts a failure. Page 04 §26, rule 17. */
  markUnfounded(peer: Peer): void {
    const entry = this.#entries.get(peer);
    if (entry === undefined) return;
    entry.unfoundedScore = entry.effectiveScore;
    entry.failures++;
    this.#countFailure(peer);
    this.#update();
  }

  /** Records that a peer's blocks improved our chain. */
  markProven(peer: Peer): void {
    const entry = this.#entries.get(peer);
    if (entry !== undefined) entry.failures = 0;
    this.#groupFailures.delete(this.#dependencies.groupOf(peer));
  }

  /** Undoes `markUnfounded`, except for the count of failures. */
  reconsider(peer: Peer): void {
    const entry = this.#entries.get(peer);
    if (entry?.unfoundedScore === undefined) return;
    entry.unfoundedScore = undefined;
    this.#update();
  }

  scoreOf(peer: Peer): bigint | undefined {
    return this.#entries.get(peer)?.newestScore;
  }

  /** Returns true for unfounded scores too. */
  claimsMore(peer: Peer): boolean {
    const score = this.#entries.get(peer)?.effectiveScore;
    return score !== undefined && score > this.#localScore;
  }

  get syncWith(): SyncPeer<Peer> | undefined {
    return this.#lastEvent?.syncWith;
  }

  get highestClaim(): bigint | undefined {
    let highest: bigint | undefined;
    for (const { newestScore } of this.#entries.values())
      if (highest === undefined || newestScore > highest) highest = newestScore;
    return highest;
  }

  get size(): number {
    return this.#entries.size;
  }

  get localScore(): bigint {
    return this.#localScore;
  }

  hasOtherClaimant(peer: Peer): boolean {
    return this.#claimants().some(([other]) => other !== peer);
  }

  #addEntry(peer: Peer): Entry {
    const { clock, debounceMs } = this.#dependencies;
    const entry: Entry = {
      newestScore: -1n,
      effectiveScore: undefined,
      unfoundedScore: undefined,
      failures: 0,
      debounce: new Debounce<bigint>(clock, debounceMs, (score) => {
        entry.effectiveScore = score;
        entry.unfoundedScore = undefined;
        this.#update();
        this.#dependencies.onScoreInEffect?.();
      }),
    };
    this.#entries.set(peer, entry);
    return entry;
  }

  #claimants(): [Peer, bigint][] {
    const claimants: [Peer, bigint][] = [];
    for (const [peer, { effectiveScore: score, unfoundedScore }] of this.#entries)
      if (score !== undefined && score !== unfoundedScore && score > this.#localScore)
        claimants.push([peer, score]);
    return claimants;
  }

  #countFailure(peer: Peer): void {
    const group = this.#dependencies.groupOf(peer);
    this.#groupFailures.set(group, (this.#groupFailures.get(group) ?? 0) + 1);
  }

  #chooseSyncPeer(): SyncPeer<Peer> | undefined {
    const { groupOf, random } = this.#dependencies;
    const inBestGroups = withLowest(
      this.#claimants(),
      ([peer]) => this.#groupFailures.get(groupOf(peer)) ?? 0,
    );
    const candidates = withLowest(inBestGroups, ([peer]) => this.#entries.get(peer)?.failures ?? 0);
    const leaders =
      this.#groupFailures.size > 0 ? this.#longestClaiming(candidates) : withHighestScore(candidates);
    const current = leaders.find(([peer]) => peer === this.#syncPeer);
    const chosen = current ?? pickRandom(random, leaders);
    return chosen && { peer: chosen[0], score: chosen[1] };
  }

  /** The candidates are in the order of their first scores. */
  #longestClaiming(candidates: readonly [Peer, bigint][]): readonly [Peer, bigint][] {
    const current = candidates.find(([peer]) => peer === this.#syncPeer);
    return current === undefined ? candidates.slice(0, 1) : [current];
  }

  #update(closed?: Peer): void {
    const syncWith = this.#chooseSyncPeer();
    this.#syncPeer = syncWith?.peer;
    const last = this.#lastEvent;
    if (
      last !== undefined &&
      last.closed === closed &&
      last.syncWith?.peer === syncWith?.peer &&
      last.syncWith?.score === syncWith?.score
    )
      return;
    this.#lastEvent = { closed, syncWith };
    this.#dependencies.onEvent(this.#lastEvent);
  }
}

function withHighestScore<Peer>(candidates: readonly [Peer, bigint][]): readonly [Peer, bigint][] {
  let top = 0n;
  for (const [, score] of candidates) if (score > top) top = score;
  return candidates.filter(([, score]) => score === top);
}

function withLowest<T>(items: readonly T[], countOf: (item: T) => number): readonly T[] {
  const counts = items.map(countOf);
  const lowest = Math.min(...counts);
  return items.filter((_, i) => counts[i] === lowest);
}
