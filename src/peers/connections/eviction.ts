import { rangeOf } from "../../bytes/ip.ts";

/** Times: monotonic, ms. */
export interface EvictionCandidate {
  readonly host: string;
  readonly since: number;
  readonly credit: number;
  readonly lastCreditAt: number;
  /** True after the handshake. */
  readonly isConnected: boolean;
}

export const GRACE_MS = 60_000;
/** Dialling nodes send their handshake at once. */
const HANDSHAKE_GRACE_MS = 3_000;
const SAFE_SHARE = 0.75;
const MAX_SAFE_OF_RANGE = 2;

interface CandidateInRange<S> {
  readonly candidate: S;
  readonly range: string;
}

/**
 * Chooses the connection to close for a newcomer, in this order:
 * 1. a connection without a handshake after 3 s;
 * 2. the one with least credit in the largest address range, if that range has at least two more connections
 *    than the newcomer's range;
 * 3. the one with least credit, among connections older than `GRACE_MS` in the newcomer's range or a larger one.
 * In cases 2 and 3, the peers with most credit are safe: at most two per range, and three quarters of all.
 * @param mayDisplace charges the newcomer's displacement budget, in cases 1 and 3
 * @returns undefined if the newcomer must be rejected
 */
export function chooseEviction<S extends EvictionCandidate>(
  candidates: readonly S[],
  newcomer: string,
  now: number,
  mayDisplace: () => boolean,
): S | undefined {
  const silent = candidates.filter(
    ({ isConnected, since }) => !isConnected && now - since >= HANDSHAKE_GRACE_MS,
  );
  if (silent.length > 0 && mayDisplace()) return lowest(silent, ({ since }) => [since]);
  const newcomerRange = rangeOf(newcomer);
  const inRanges = candidates.map((candidate) => ({ candidate, range: rangeOf(candidate.host) }));
  const sizes = new Map<string, number>();
  for (const { range } of inRanges) sizes.set(range, (sizes.get(range) ?? 0) + 1);
  const sizeOf = (range: string) => sizes.get(range) ?? 0;
  const safe = safeCandidates(inRanges);
  const others = inRanges.filter(({ candidate }) => !safe.has(candidate));
  const large = others.filter(({ range }) => sizeOf(range) > sizeOf(newcomerRange) + 1);
  const largest = Math.max(...large.map(({ range }) => sizeOf(range)));
  const crowded = large.filter(({ range }) => sizeOf(range) === largest);
  if (crowded.length > 0) return leastCredited(crowded);
  const displaceable = others.filter(
    ({ candidate, range }) =>
      now - candidate.since >= GRACE_MS && (range === newcomerRange || sizeOf(range) > sizeOf(newcomerRange)),
  );
  return displaceable.length > 0 && mayDisplace() ? leastCredited(displaceable) : undefined;
}

function safeCandidates<S extends EvictionCandidate>(
  inRanges: readonly CandidateInRange<S>[],
): ReadonlySet<S> {
  const safe = new Set<S>();
  const safeOfRange = new Map<string, number>();
  const byCredit = inRanges
    .filter(({ candidate }) => candidate.credit > 0)
    .sort((a, b) => b.candidate.credit - a.candidate.credit || a.candidate.since - b.candidate.since);
  for (const { candidate, range } of byCredit) {
    if (safe.size >= Math.floor(SAFE_SHARE * inRanges.length)) break;
    const before = safeOfRange.get(range) ?? 0;
    if (before >= MAX_SAFE_OF_RANGE) continue;
    safeOfRange.set(range, before + 1);
    safe.add(candidate);
  }
  return safe;
}

function leastCredited<S extends EvictionCandidate>(inRanges: readonly CandidateInRange<S>[]): S | undefined {
  const candidates = inRanges.map(({ candidate }) => candidate);
  return lowest(candidates, ({ credit, lastCreditAt }) => [credit, lastCreditAt]);
}

function lowest<S>(candidates: readonly S[], sortKeysOf: (candidate: S) => readonly number[]): S | undefined {
  return [...candidates].sort((a, b) => {
    const otherKeys = sortKeysOf(b);
    return (
      sortKeysOf(a)
        .map((key, i) => key - otherKeys[i])
        .find((difference) => difference !== 0) ?? 0
    );
  })[0];
}
