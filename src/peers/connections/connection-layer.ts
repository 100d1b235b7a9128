/** Everything about who the other nodes are and how they are connected, wired together; what they say is others' affair. */
import type { Clock, Hosts, Log, Random, Transport } from "../../interfaces.ts";
import { namedClock } from "../../runtime/timers.ts";
import { KnownPeersStore } from "../database/known-peers-store.ts";
import { PeerDatabase } from "../database/peer-database.ts";
import type { PeersFile } from "../database/peers-file.ts";
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
  /** Where known peers are kept; undefined: nowhere. */
  readonly peersFile: PeersFile | undefined;
  /** An unsigned byte: peers of networks with another one are turned away. */
  readonly chainId: number;
  /** Whether all peers of the network are on the public internet. */
  readonly publicOnly: boolean;
  readonly options: ConnectionOptions;
}

export interface ConnectionLayer {
  readonly network: PeerNetwork;
  readonly database: PeerDatabase;
  /** The port that others connect to; undefined: nobody can. */
  readonly listeningPort: number | undefined;
  /** This node's name and nonce, as others are told. */
  readonly nodeName: string;
  readonly nonce: bigint;
  /** Connects to an address that an operator names: `Dialler.connect`. */
  connect(address: PeerAddress): boolean;
  /** Bans an IP address from which peers are connected, and ends their connections. */
  blacklist(host: string, reason: string): void;
  /** Lets others in, and dials them. Never rejects: a port in use is a warning. */
  start(): Promise<void>;
  /** Ends all connections; those who were just told a score are served for two seconds more. */
  stop(): Promise<void>;
}

/** @throws NodeNameError */
export function createConnectionLayer(dependencies: ConnectionLayerDependencies): ConnectionLayer {
  const { clock, random, hosts, log, peersFile, publicOnly, options } = dependencies;
  const database = new PeerDatabase(clock, random, { ...options, publicOnly });
  const own = new OwnNode({ ...dependencies, ...options });
  const network = new Connections({ ...dependencies, database, own });
  const { maxOutbound } = options;
  const dialler = new Dialler({ clock, hosts, log, database, own, connections: network, maxOutbound });
  const keeper = peersFile && new KnownPeersStore(database, peersFile, namedClock(clock, "peers file"), log);
  exchangePeers({ clock: namedClock(clock, "exchange of peers"), network, database, options, publicOnly });
  return {
    network,
    database,
    nodeName: own.nodeName,
    nonce: own.nonce,
    get listeningPort() {
      return network.listeningPort;
    },
    connect: (address) => dialler.connect(address),
    blacklist: (host, reason) => network.blacklist(host, reason),
    async start() {
      await keeper?.start();
      await own.resolve();
      await network.listen();
      dialler.start();
    },
    async stop() {
      dialler.stop();
      await network.close();
      await network.end();
      await keeper?.close();
    },
  };
}
