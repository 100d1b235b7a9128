import type { Cancel, Clock, Log } from "../interfaces.ts";
import type { Peer, PeerNetwork } from "./connections/peer.ts";

const SUMMARY_INTERVAL_MS = 30_000;

interface PeerLogDependencies {
  readonly network: PeerNetwork;
  readonly clock: Pick<Clock, "after">;
  readonly log: Log;
}

const factsOf = ({ label, inbound, handshake }: Peer) => ({ peer: label, inbound, name: handshake.nodeName });

/** Logs the first connected and the last lost peer at once, others in a summary. */
export function logPeers({ network, clock, log }: PeerLogDependencies): () => void {
  let connected = 0;
  let lost = 0;
  let cancel: Cancel | undefined;
  let isStopped = false;
  const report = (): void => {
    cancel = undefined;
    log.info("Peers connected or lost", { connected, lost, peers: network.count });
    connected = 0;
    lost = 0;
  };
  const reportLater = (): void => {
    cancel ??= clock.after(SUMMARY_INTERVAL_MS, report);
  };
  network.onConnected((peer) => {
    if (isStopped) return;
    if (network.count === 1) {
      log.info("Connected to the first peer", factsOf(peer));
      return;
    }
    connected++;
    reportLater();
  });
  network.onClosed((peer) => {
    if (isStopped) return;
    if (network.count === 0) {
      log.warn("Lost the last peer: the node gets no blocks until it connects to another one", factsOf(peer));
      return;
    }
    lost++;
    reportLater();
  });
  return () => {
    isStopped = true;
    cancel?.();
  };
}
