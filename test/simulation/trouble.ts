/** The faults of a run, decided by its seed: partitions, crashes, clock changes. */
import type { SeededRandom } from "../../src/testing/seeded-random.ts";

export type Trouble =
  /** The network splits, and heals after a while. */
  | { readonly kind: "partition"; readonly parts: readonly (readonly number[])[]; readonly ms: number }
  /** Percentage of connections that break. */
  | { readonly kind: "reset"; readonly share: number }
  /** A node crashes and restarts after a while. */
  | { readonly kind: "crash"; readonly node: number; readonly ms: number }
  /** A node's process is suspended for a while. */
  | { readonly kind: "freeze"; readonly node: number; readonly ms: number }
  /** A node crashes the next time it is in the middle of a change with many slices, or just after it. */
  | { readonly kind: "crash in a switch"; readonly node: number; readonly ms: number }
  /** A user sets a node's clock wrong by this much, ms. */
  | { readonly kind: "clock"; readonly node: number; readonly skewMs: number }
  /** The links of a node become slow for a while. */
  | { readonly kind: "slow"; readonly node: number; readonly ms: number };

export interface TimedTrouble {
  /** Begin, ms after the start. */
  readonly at: number;
  readonly trouble: Trouble;
}

const SECOND_MS = 1_000;
/** Maximum duration of a partition, so short that no side forges as many blocks as can be undone. */
const MAX_PARTITION_MS = 110 * SECOND_MS;

/** Longer than the timeouts of a handshake and of a block. */
const MIN_FREEZE_MS = 15 * SECOND_MS;

/** Maximum clock error, ms. */
const MAX_SKEW_MS = 2_500;
/** Minimum time between two partitions, ms, in which the network recovers. */
const MIN_RECOVERY_MS = 60 * SECOND_MS;

/** The numbers below `count` in random order. */
export function shuffled(random: SeededRandom, count: number): number[] {
  const order: number[] = [];
  for (let i = 0; i < count; i++) order.splice(random.below(i + 1), 0, i);
  return order;
}

function partition(random: SeededRandom, nodes: number): Trouble {
  const order = shuffled(random, nodes);
  const cut = 1 + random.below(nodes - 1);
  const parts = [order.slice(0, cut), order.slice(cut)];
  if (nodes > 4 && parts[1].length > 2 && random.chance(25)) parts.push(parts[1].splice(1));
  return { kind: "partition", parts, ms: 15 * SECOND_MS + random.below(MAX_PARTITION_MS - 15 * SECOND_MS) };
}

function anyTrouble(random: SeededRandom, nodes: number): Trouble {
  const node = random.below(nodes);
  const ms = SECOND_MS + random.below(60 * SECOND_MS);
  return random.pick<() => Trouble>([
    () => partition(random, nodes),
    () => partition(random, nodes),
    () => ({ kind: "reset", share: 10 + random.below(91) }),
    () => ({ kind: "crash", node, ms }),
    () => ({ kind: "crash in a switch", node, ms }),
    () => ({ kind: "freeze", node, ms: ms + MIN_FREEZE_MS }),
    () => ({ kind: "clock", node, skewMs: random.below(2 * MAX_SKEW_MS + 1) - MAX_SKEW_MS }),
    () => ({ kind: "slow", node, ms }),
  ])();
}

/** All faults between two times, in order. */
export function troubles(random: SeededRandom, nodes: number, from: number, to: number): TimedTrouble[] {
  const count = 2 + random.below(5);
  const all: TimedTrouble[] = Array.from({ length: count }, () => ({
    at: from + random.below(to - from),
    trouble: anyTrouble(random, nodes),
  }));
  // Every run has branches to switch from, and a node that crashes during a switch.
  const at = from + random.below((to - from) / 2);
  all.push({ at, trouble: partition(random, nodes) });
  all.push({ at, trouble: { kind: "crash in a switch", node: random.below(nodes), ms: 10 * SECOND_MS } });
  all.sort((a, b) => a.at - b.at);
  let together = 0;
  return all.filter(({ at, trouble }) => {
    if (trouble.kind !== "partition") return true;
    if (at < together) return false;
    together = at + trouble.ms + MIN_RECOVERY_MS;
    return true;
  });
}
