/** Page 04 §18. */

import { ipBytes, isReserved } from "../../bytes/ip.ts";
import type { Cancel, Clock } from "../../interfaces.ts";
import type { PeerDatabase } from "../database/peer-database.ts";
import type { ConnectionOptions } from "../options.ts";
import type { PeerAddress } from "../peer-address.ts";
import { KEEPALIVE_INTERVAL_MS } from "./limits.ts";
import type { Peer, PeerNetwork } from "./peer.ts";

/** Page 04 §8.2. */
const MAX_SENT_ADDRESSES = 1_000;

interface PeerExchangeDependencies {
  readonly clock: Clock;
  readonly network: PeerNetwork;
  readonly database: PeerDatabase;
  readonly options: Pick<ConnectionOptions, "peerRequestIntervalMs" | "exchange">;
  readonly publicOnly: boolean;
}

/** Sends requests even if answers are ignored: they keep connections alive. */
export function exchangePeers({
  clock,
  network,
  database,
  options,
  publicOnly,
}: PeerExchangeDependencies): void {
  const intervalMs = Math.min(options.peerRequestIntervalMs, KEEPALIVE_INTERVAL_MS);
  const requests = new Map<Peer, { cancel: Cancel; isPending: boolean }>();

  const ask = (peer: Peer): void => {
    requests.set(peer, { cancel: clock.after(intervalMs, () => ask(peer)), isPending: true });
    peer.send({ type: "GetPeers" });
  };
  /** `Peers` messages require IPv4 addresses. */
  const sharedAddresses = (): PeerAddress[] =>
    database
      .knownPeers()
      .map(({ address }) => address)
      .filter(
        ({ host, port }) => port > 0 && ipBytes(host)?.length === 4 && !(publicOnly && isReserved(host)),
      )
      .slice(0, MAX_SENT_ADDRESSES);

  network.onConnected(ask);
  network.onClosed((peer) => {
    requests.get(peer)?.cancel();
    requests.delete(peer);
  });
  network.on("GetPeers", (peer) => {
    if (options.exchange) peer.send({ type: "Peers", addresses: sharedAddresses() });
  });
  network.on("Peers", (peer, { addresses }) => {
    const request = requests.get(peer);
    if (request?.isPending !== true) return;
    request.isPending = false;
    if (options.exchange) database.addCandidates(addresses, peer.host);
  });
}
