/** The other nodes: everything of this node that talks to them, wired together. Page 04 §2. */
import type { ForgedListener } from "../forging/forger.ts";
import type { Clock, Hosts, Log, Random, Transport } from "../interfaces.ts";
import { Connections } from "./connections/connections.ts";
import { Dialler } from "./connections/dialler.ts";
import { OwnNode } from "./connections/own-node.ts";
import type { PeerNetwork } from "./connections/peer.ts";
import { PeerExchange } from "./connections/peer-exchange.ts";
import { KnownPeersKeeper } from "./database/known-peers-keeper.ts";
import { PeerDatabase } from "./database/peer-database.ts";
import type { PeersFile } from "./database/peers-file.ts";
import { budgetedLog } from "./log-budget.ts";
import type { PeersOptions } from "./options.ts";
import { DEFAULT_PORT, type PeerAddress } from "./peer-address.ts";

export interface PeersDependencies {
  readonly clock: Clock;
  readonly random: Random;
  readonly transport: Transport;
  readonly hosts: Hosts;
  readonly log: Log;
  /** Where known peers are kept; undefined: nowhere. */
  readonly peersFile: PeersFile | undefined;
  /** An unsigned byte: peers of other networks are turned away. */
  readonly chainId: number;
  /** Whether all peers of the network are on the public internet. */
  readonly publicOnly: boolean;
  readonly options: PeersOptions;
}

/** What the rest of the node knows of the other nodes. */
export interface Peers {
  readonly network: PeerNetwork;
  readonly database: PeerDatabase;
  /** Number of connected peers: forging has a quorum. */
  readonly count: number;
  /** The port that others connect to; undefined: nobody can. */
  readonly listeningPort: number | undefined;
  /** This node's name and nonce, as others are told. */
  readonly nodeName: string;
  readonly nonce: bigint;
  /** Tells others what was forged here. */
  readonly forged: ForgedListener;
  /** Connects to an address that an operator names: `Dialler.connect`. */
  connect(address: PeerAddress): boolean;
  /** Bans a host and ends its connections. */
  blacklist(host: string, reason: string): void;
  /** Lets others in, and dials them. Never rejects: a port in use is a warning. */
  start(): Promise<void>;
  /** Ends all connections; those who were just told a score are served for two seconds more. */
  stop(): Promise<void>;
}

/**
 * Builds what talks to other nodes; nothing is sent before `start`.
 * @throws NodeNameError
 */
export function createPeers(dependencies: PeersDependencies): Peers {
  const { clock, random, transport, hosts, peersFile, chainId, publicOnly, options } = dependencies;
  const log = budgetedLog(dependencies.log, clock);
  const { connections: settings } = options;
  const database = new PeerDatabase(clock, random, {
    configured: settings.knownPeers,
    knownMs: settings.knownPeerMs,
    blacklistMs: settings.blacklistMs,
    suspensionMs: settings.suspensionMs,
    maxUnverified: settings.maxUnverified,
    blacklisting: settings.blacklisting,
    ownPort: settings.listen?.port ?? DEFAULT_PORT,
    publicOnly,
  });
  const own = new OwnNode({ ...settings, clock, random, hosts, log, chainId });
  const network = new Connections({ clock, random, transport, log, database, own, options: settings });
  const dialler = new Dialler({
    clock,
    hosts,
    log,
    database,
    own,
    connections: network,
    maxOutbound: settings.maxOutbound,
  });
  const keeper = peersFile && new KnownPeersKeeper(database, peersFile, clock, log);

  // Each part takes the kinds of messages that are its own. A new peer is greeted in the order of these lines: the
  // question for peers comes first, our score behind it.
  new PeerExchange({
    clock,
    network,
    database,
    intervalMs: settings.askForPeersMs,
    enabled: settings.exchange,
    publicOnly,
  });

  return {
    network,
    database,
    nodeName: own.nodeName,
    nonce: own.nonce,
    get count() {
      return network.count;
    },
    get listeningPort() {
      return network.listeningPort;
    },
    forged: {
      block: () => {},
      microBlock: () => {},
    },
    connect: (address) => dialler.connect(address),
    blacklist: (host, reason) => {
      database.blacklist(host, reason);
      network.blacklist(host, reason);
    },
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
