/** Telling peers of peers. Page 04 §18. */

import { ipBytes, isReserved } from "../../bytes/ip.ts";
import type { Cancel, Clock } from "../../interfaces.ts";
import type { PeerDatabase } from "../database/peer-database.ts";
import type { PeerAddress } from "../peer-address.ts";
import { KEEPALIVE_INTERVAL_MS } from "./limits.ts";
import type { Peer, PeerNetwork } from "./peer.ts";

/** The most that receivers take. Page 04 §8.2. */
const MAX_TOLD = 1_000;

interface PeerExchangeDependencies {
  readonly clock: Clock;
  readonly network: PeerNetwork;
  readonly database: PeerDatabase;
  /** `peers-broadcast-interval`, ms. */
  readonly intervalMs: number;
  /** `enable-peers-exchange`: whether answers are given, and believed. */
  readonly enabled: boolean;
  /** Whether all peers are on the public internet: others are then told no private addresses. */
  readonly publicOnly: boolean;
}

/**
 * Asks each peer for others, at once and from time to time, and answers such questions. The questions also keep
 * connections alive, so they are asked where answers do not matter, too.
 */
export class PeerExchange {
  readonly #dependencies: PeerExchangeDependencies;
  /** What stops asking, for each connected peer; whether an answer is waited for. */
  readonly #asking = new Map<Peer, { cancel: Cancel; waits: boolean }>();

  constructor(dependencies: PeerExchangeDependencies) {
    const { network } = dependencies;
    this.#dependencies = dependencies;
    network.onConnected((peer) => {
      this.#asking.set(peer, { cancel: () => {}, waits: false });
      this.#ask(peer);
    });
    network.onClosed((peer) => {
      this.#asking.get(peer)?.cancel();
      this.#asking.delete(peer);
    });
    network.on("GetPeers", (peer) => {
      if (dependencies.enabled) peer.send({ type: "Peers", addresses: this.#toTell() });
    });
    network.on("Peers", (peer, { addresses }) => {
      const state = this.#asking.get(peer);
      // One answer to each question: whatever else comes is passed over.
      if (state?.waits !== true) return;
      state.waits = false;
      if (dependencies.enabled) dependencies.database.addCandidates(addresses, peer.host);
    });
  }

  #ask(peer: Peer): void {
    const state = this.#asking.get(peer);
    if (state === undefined) return;
    const { clock, intervalMs } = this.#dependencies;
    state.waits = true;
    state.cancel = clock.after(Math.min(intervalMs, KEEPALIVE_INTERVAL_MS), () => this.#ask(peer));
    peer.send({ type: "GetPeers" });
  }

  /** Known peers that a message can hold: those with an IPv4 address. */
  #toTell(): PeerAddress[] {
    const { database, publicOnly } = this.#dependencies;
    return database
      .knownPeers()
      .map(({ address }) => address)
      .filter(
        ({ host, port }) => port > 0 && ipBytes(host)?.length === 4 && !(publicOnly && isReserved(host)),
      )
      .slice(0, MAX_TOLD);
  }
}
