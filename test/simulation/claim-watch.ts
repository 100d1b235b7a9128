/**
 * Checks how a node treats claims: an unproven score neither keeps the node "behind" nor keeps its sender connected.
 */
import type { Node } from "../../src/node.ts";
import type { Peer } from "../../src/peers/connections/peer.ts";

/**
 * A claim without blocks expires a minute after its peer is asked for them. Liars are asked one after the other, and none
 * of them while a node waits for honest ones beyond a partition, which lasts less than two minutes.
 */
const CLAIM_MS = 60_000;
const PARTITION_MS = 120_000;
/** Of this many checks in a row, at most `MAX_BEHIND` may find the node behind without a reason. */
const CHECKS = 12;
const MAX_BEHIND = 9;

export class ClaimWatch {
  /** When a liar's connection began to claim more than any honest chain has, ms. */
  readonly #claimedSince = new WeakMap<Peer, number>();
  /** For the last checks: whether the node was behind although no honest chain is better. */
  #behind: boolean[] = [];

  /** @param broken called with each violation */
  constructor(
    private readonly node: Node,
    private readonly broken: (text: string) => void,
  ) {}

  /**
   * Checks the node. The simulation calls this every few seconds.
   * @param liars IP addresses of the liars
   * @param bestScore the highest score of a chain of honest nodes
   */
  check(liars: ReadonlySet<string>, bestScore: bigint): void {
    const { chain, peers, environment } = this.node;
    if (peers === undefined) return;
    const now = environment.clock.monotonic();
    const longest = liars.size * CLAIM_MS + PARTITION_MS;
    for (const peer of peers.network.peers) {
      const claimed = peers.sync.scoreOf(peer) ?? 0n;
      if (!liars.has(peer.host) || claimed <= bestScore) this.#claimedSince.delete(peer);
      else if (!this.#claimedSince.has(peer)) this.#claimedSince.set(peer, now);
      const since = this.#claimedSince.get(peer) ?? now;
      if (now - since > longest)
        this.broken(
          `${peer.label} claims ${claimed} for ${now - since} ms, shows nothing and keeps its place`,
        );
    }
    const isBehind = peers.sync.progress.target !== undefined && chain.tip.score >= bestScore;
    this.#behind = [...this.#behind, isBehind].slice(-CHECKS);
    const count = this.#behind.filter(Boolean).length;
    if (count > MAX_BEHIND)
      this.broken(
        `it reports being behind in ${count} of ${CHECKS} checks although no honest chain is better`,
      );
  }
}
