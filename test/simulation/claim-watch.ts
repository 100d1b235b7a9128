/**
 * Checks how a node treats claims: an unproven score neither keeps the node "behind" nor keeps its sender connected.
 */
import type { Node } from "../../src/node.ts";
import type { Peer } from "../../src/peers/connections/peer.ts";

/** Interval between checks, ms. */
export const CHECK_INTERVAL_MS = 5_000;
/**
 * Maximum time of a claim, ms: a minute, a minute for blocks dated in the future, and half a minute for sent blocks.
 * As in the node, the time in which another peer is asked does not count: liars take turns, and have two connections
 * each. Neither does the time in which the node is frozen or a partition separates it from the liar.
 */
const MAX_CLAIM_MS = 150_000;
/** Of this many checks in a row, at most `MAX_BEHIND` may find the node behind without a reason. */
const CHECKS = 12;
const MAX_BEHIND = 9;

export class ClaimWatch {
  /** How long a liar's connection has claimed more than any honest chain has, ms. */
  readonly #claimedMs = new WeakMap<Peer, number>();
  /** For the last checks: whether the node was behind although no honest chain is better. */
  #behind: boolean[] = [];

  /** @param broken called with each violation */
  constructor(
    private readonly node: Node,
    private readonly broken: (text: string) => void,
  ) {}

  /**
   * Checks the node. The simulation calls this every `CHECK_INTERVAL_MS`, unless the node is frozen.
   * @param liars IP addresses of the liars that the node can reach
   * @param bestScore the highest score of a chain of honest nodes
   */
  check(liars: ReadonlySet<string>, bestScore: bigint): void {
    const { chain, peers } = this.node;
    if (peers === undefined) return;
    const asked = /^State\(Expecting\w+\((\[.*?\])\)/.exec(peers.sync.state.extensionLoader)?.[1];
    for (const peer of peers.network.peers) {
      if (!liars.has(peer.host)) continue;
      const claimed = peers.sync.scoreOf(peer) ?? 0n;
      if (claimed <= bestScore) this.#claimedMs.delete(peer);
      else if (asked === undefined || asked === peer.label) this.#countClaim(peer, claimed);
    }
    const isBehind = peers.sync.progress.target !== undefined && chain.tip.score >= bestScore;
    this.#behind = [...this.#behind, isBehind].slice(-CHECKS);
    const count = this.#behind.filter(Boolean).length;
    if (count > MAX_BEHIND)
      this.broken(
        `it reports being behind in ${count} of ${CHECKS} checks although no honest chain is better`,
      );
  }

  #countClaim(peer: Peer, claimed: bigint): void {
    const claimedMs = (this.#claimedMs.get(peer) ?? 0) + CHECK_INTERVAL_MS;
    this.#claimedMs.set(peer, claimedMs);
    if (claimedMs > MAX_CLAIM_MS)
      this.broken(`${peer.label} claims ${claimed} for ${claimedMs} ms, shows nothing and keeps its place`);
  }
}
