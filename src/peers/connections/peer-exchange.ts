/** Telling peers of peers. Page 04 §18. */

import { ipBytes, isReserved } from "../../bytes/ip.ts";
import type { Cancel, Clock } from "../../interfaces.ts";
import type { PeerDatabase } from "../database/peer-database.ts";
import type { ConnectionOptions } from "../options.ts";
import type { PeerAddress } from "../peer-address.ts";
import { KEEPALIVE_INTERVAL_MS } from "./limits.ts";
import type { Peer, PeerNetwork } from "./peer.ts";

/** The most that receivers take. Page 04 §8.2. */
const MAX_TOLD = 1_000;

interface PeerExchangeDependencies {
  readonly clock: Clock;
  readonly network: PeerNetwork;
  readonly database: PeerDatabase;
  readonly options: Pick<ConnectionOptions, "askForPeersMs" | "exchange">;
  /** Whether all peers are on the public internet: others are then told no private addresses. */
  readonly publicOnly: boolean;
}

/**
 * Asks each peer for others, at once and from time to time, and answers such questions. The questions also keep
 * connections alive, so they are asked where answers do not matter, too.
 */
export function exchangePeers({
  clock,
  network,
  database,
  options,
  publicOnly,
}: PeerExchangeDependencies): void {
  const intervalMs = Math.min(options.askForPeersMs, KEEPALIVE_INTERVAL_MS);
  /** What stops asking, for each connected peer; whether an answer is waited for. */
  const requests = new Map<Peer, { cancel: Cancel; isPending: boolean }>();

  const ask = (peer: Peer): void => {
    requests.set(peer, { cancel: clock.after(intervalMs, () => ask(peer)), isPending: true });
    peer.send({ type: "GetPeers" });
  };
  /** Known peers that a message can hold: those with an IPv4 address. */
  const shared = (): PeerAddress[] =>
    database
      .knownPeers()
      .map(({ address }) => address)
      .filter(
        ({ host, port }) => port > 0 && ipBytes(host)?.length === 4 && !(publicOnly && isReserved(host)),
      )
      .slice(0, MAX_TOLD);

  network.onConnected(ask);
  network.onClosed((peer) => {
    requests.get(peer)?.cancel();
    requests.delete(peer);
  });
  network.on("GetPeers", (peer) => {
    if (options.exchange) peer.send({ type: "Peers", addresses: shared() });
  });
  network.on("Peers", (peer, { addresses }) => {
    const request = requests.get(peer);
    // One answer to each question: whatever else comes is passed over.
    if (request?.isPending !== true) return;
    request.isPending = false;
    if (options.exchange) database.addCandidates(addresses, peer.host);
  });
}
