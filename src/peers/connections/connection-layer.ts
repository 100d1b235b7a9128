import type { Clock, Hosts, Log, Random, Transport } from "../../interfaces.ts";
import { type Metrics, noMetrics } from "../../runtime/metrics.ts";
import { namedClock } from "../../runtime/timers.ts";
import { KnownPeersStore } from "../database/known-peers-store.ts";
import { PeerDatabase } from "../database/peer-database.ts";
import type { PeersFile } from "../database/peers-file.ts";
import { PeerCounters, peerMetrics } from "../metrics.ts";
import type { ConnectionOptions } from "../options.ts";
import type { PeerAddress } from "../peer-address.ts";
import { Connections } from "./connections.ts";
import { Dialler } from "./dialler.ts";
import { OwnNode } from "./own-node.ts";
import type { PeerNetwork } from "./peer.ts";
import { exchangePeers } from "./peer-exchange.ts";

export interface ConnectionLayerDependencies {
  readonly clock: Clock;
  readonly random: Random;
  readonly transport: Transport;
  readonly hosts: Hosts;
  readonly log: Log;
  readonly peersFile: PeersFile | undefined;
  /** Unsigned byte. */
  readonly chainId: number;
  /** True: private addresses from peers are ignored. */
  readonly publicOnly: boolean;
  readonly options: ConnectionOptions;
  readonly metrics?: Metrics | undefined;
}

export interface ConnectionLayer {
  readonly network: PeerNetwork;
  readonly database: PeerDatabase;
  readonly listeningPort: number | undefined;
  readonly nodeName: string;
  readonly nonce: bigint;
  connect(address: PeerAddress): boolean;
  blacklist(host: string, reason: string): void;
  /** Never rejects: a port in use only causes a warning. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** @throws NodeNameError */
export function createConnectionLayer(dependencies: ConnectionLayerDependencies): ConnectionLayer {
  const { clock, random, hosts, log, peersFile, publicOnly, options, metrics = noMetrics } = dependencies;
  const database = new PeerDatabase(clock, random, { ...options, publicOnly });
  const ownNode = new OwnNode({ ...dependencies, ...options });
  const network = new Connections({
    ...dependencies,
    database,
    ownNode,
    counters: new PeerCounters(metrics),
  });
  const stopObserving = observeConnections(metrics, network, database);
  const { maxOutbound } = options;
  const dialler = new Dialler({ clock, hosts, log, database, ownNode, connections: network, maxOutbound });
  const knownPeersStore =
    peersFile && new KnownPeersStore(database, peersFile, namedClock(clock, "peers file"), log);
  exchangePeers({ clock: namedClock(clock, "exchange of peers"), network, database, options, publicOnly });
  return {
    network,
    database,
    nodeName: ownNode.nodeName,
    nonce: ownNode.nonce,
    get listeningPort() {
      return network.listeningPort;
    },
    connect: (address) => dialler.connect(address),
    blacklist: (host, reason) => network.blacklist(host, reason),
    async start() {
      await knownPeersStore?.start();
      await ownNode.resolveDeclaredAddress();
      await network.listen();
      dialler.start();
    },
    async stop() {
      stopObserving();
      dialler.stop();
      await network.stopListening();
      await network.closeAll();
      await knownPeersStore?.close();
    },
  };
}

function observeConnections(metrics: Metrics, network: Connections, database: PeerDatabase): () => void {
  const ends = [
    metrics.observe(peerMetrics.connected, () => {
      const peers = [...network.peers];
      const inbound = peers.filter((peer) => peer.inbound).length;
      return [
        [{ direction: "inbound" }, inbound],
        [{ direction: "outbound" }, peers.length - inbound],
      ];
    }),
    metrics.observe(peerMetrics.known, () => database.knownPeers().length),
    metrics.observe(peerMetrics.banned, () => database.blacklisted().length),
    metrics.observe(peerMetrics.unsentBytes, () => network.unsentBytes),
  ];
  return () => {
    for (const end of ends) end();
  };
}
