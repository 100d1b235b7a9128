/** The other nodes: everything of this node that talks to them, wired together. Page 04 §2. */
import type { Chain } from "../chain/chain.ts";
import type { ForgedListener } from "../forging/forger.ts";
import type { ForgingAccounts } from "../forging/options.ts";
import type { Clock, Hosts, Log, Random, Transport } from "../interfaces.ts";
import type { Mempool } from "../mempool/mempool.ts";
import type { NetworkRules, Transaction } from "../transactions/index.ts";
import { Connections } from "./connections/connections.ts";
import { Dialler } from "./connections/dialler.ts";
import { OwnNode } from "./connections/own-node.ts";
import type { PeerNetwork } from "./connections/peer.ts";
import { PeerExchange } from "./connections/peer-exchange.ts";
import { KnownPeersKeeper } from "./database/known-peers-keeper.ts";
import { PeerDatabase } from "./database/peer-database.ts";
import type { PeersFile } from "./database/peers-file.ts";
import type { TransactionIntake } from "./gossip/transaction-gossip.ts";
import { createLive } from "./live/live.ts";
import { budgetedLog } from "./log-budget.ts";
import type { PeersOptions } from "./options.ts";
import { DEFAULT_PORT, type PeerAddress } from "./peer-address.ts";
import type { SignatureChecks } from "./signature-checks.ts";

export interface PeersDependencies {
  readonly clock: Clock;
  readonly random: Random;
  readonly transport: Transport;
  readonly hosts: Hosts;
  readonly log: Log;
  /** Where known peers are kept; undefined: nowhere. */
  readonly peersFile: PeersFile | undefined;
  /** Peers of networks with another chain id are turned away. */
  readonly rules: NetworkRules;
  readonly chain: Chain;
  readonly pool: Mempool;
  readonly intake: TransactionIntake;
  /** Checks signatures ahead of the writer. */
  readonly checks: SignatureChecks;
  /** Those that sign what is forged here. */
  readonly accounts: Pick<ForgingAccounts, "keyPair">;
  /** Age of the newest key block from which on transactions of peers make no sense, ms; undefined: they always do. */
  readonly readyMs: number | undefined;
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
  /** Sends others a transaction that a client of this node brought. */
  transactionAdded(transaction: Transaction): void;
  /** Connects to an address that an operator names: `Dialler.connect`. */
  connect(address: PeerAddress): boolean;
  /** Bans an IP address from which peers are connected, and ends their connections. */
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
  const { clock, random, transport, hosts, peersFile, rules, publicOnly, options } = dependencies;
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
  const own = new OwnNode({ ...settings, clock, random, hosts, log, chainId: rules.chainId });
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
  const live = createLive({ ...dependencies, network, log });
  network.on("Block", (peer, message) => live.block(peer, message));

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
    forged: live.forged,
    transactionAdded: live.transactionAdded,
    connect: (address) => dialler.connect(address),
    blacklist: (host, reason) => network.blacklist(host, reason),
    async start() {
      await keeper?.start();
      await own.resolve();
      live.start();
      await network.listen();
      dialler.start();
    },
    async stop() {
      dialler.stop();
      live.stop();
      await network.close();
      await network.end();
      await keeper?.close();
    },
  };
}
