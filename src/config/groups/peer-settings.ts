/**
 * What an operator decides about connections to other nodes: page 04 §23.1. The flags are called like the reference's
 * settings, but where these words alone would not say what they are about. `peers-options.ts` puts them together.
 */

import { host, int64, list, messageCode, noneOr, path, peerAddress, whole, yesNo } from "../kinds/kinds.ts";
import { DAY, MINUTE, memoryTime, timeout } from "../kinds/quantity-kinds.ts";
import { always, maybe } from "./define-setting.ts";

export const peerSettings = {
  p2p: always(
    {
      name: "p2p",
      group: "peers",
      about: "Talk to other nodes",
      standardText: "yes; on dev only when peers, an address or a port for them are given",
      on: true,
      negated:
        "Do not talk to other nodes. On `dev` the node does so only when peers, an address or a port for them are given",
    },
    yesNo,
    (network) => network.name !== "dev",
  ),
  p2pHost: maybe(
    {
      name: "p2p-host",
      group: "peers",
      reference: "network.bind-address",
      about:
        "Address on which other nodes may connect. It listens when this, --p2p-port or --declared-address is given",
      standardText: `"0.0.0.0"; on dev "127.0.0.1"`,
    },
    host,
  ),
  p2pPort: maybe(
    {
      name: "p2p-port",
      group: "peers",
      reference: "network.port",
      about: "Port on which other nodes may connect; 0 takes a free one and the log says which",
      standardText: "6868 on mainnet, else 6863",
    },
    whole(0, 65_535, "a port"),
  ),
  declaredAddress: maybe(
    {
      name: "declared-address",
      group: "peers",
      container: "DECLARED_ADDRESS",
      reference: "network.declared-address",
      about: "Where others can reach this node, as it tells them; with it, the node listens",
    },
    peerAddress({ needsPort: true }),
  ),
  knownPeers: always(
    {
      name: "peers",
      group: "peers",
      reference: "network.known-peers",
      about: "Nodes to begin with. Without a port, 6863 is meant on every network",
      standardText: "the bootstrap nodes of mainnet and testnet, else none",
    },
    list(peerAddress({ needsPort: false }), "HOST:PORT,..."),
    (network) => network.peers.known.map((text) => peerAddress({ needsPort: true }).read(text)),
  ),
  nonce: maybe(
    {
      name: "nonce",
      group: "peers",
      reference: "network.nonce",
      about:
        "Number by which others tell nodes behind one address apart: give every node of an address its own, and leave " +
        "it as it is",
      standardText: "random at every start",
    },
    int64,
  ),
  peersFile: always(
    {
      name: "peers-file",
      group: "peers",
      reference: "network.file",
      about: "File of the nodes that are known; `none` keeps them in memory only",
      standardText: "<data-dir>/peers.dat",
    },
    noneOr(path),
    (_, dataDir) => `${dataDir}/peers.dat`,
  ),
  knownPeerMs: always(
    {
      name: "peers-data-residence-time",
      group: "peers",
      reference: "network.peers-data-residence-time",
      about: "How long a node stays known that nobody could connect to",
    },
    memoryTime,
    DAY,
  ),
  blacklistMs: always(
    {
      name: "black-list-residence-time",
      group: "peers",
      reference: "network.black-list-residence-time",
      about: "How long a node that broke the protocol is banned, by its IP address (IPv6: its /64 network)",
      standardText: "15m; on testnet 30m",
    },
    memoryTime,
    (network) => network.peers.blacklistMs,
  ),
  suspensionMs: always(
    {
      name: "suspension-residence-time",
      group: "peers",
      reference: "network.suspension-residence-time",
      about: "How long a node is not dialled that could not be reached, or closed the connection",
    },
    memoryTime,
    MINUTE,
  ),
  idleMs: always(
    {
      name: "break-idle-connections-timeout",
      group: "peers",
      reference: "network.break-idle-connections-timeout",
      about: "Silence after which a connection is closed",
    },
    timeout(1_000),
    5 * MINUTE,
  ),
  dialMs: always(
    {
      name: "connection-timeout",
      group: "peers",
      reference: "network.connection-timeout",
      about: "Time that a node has to take a connection",
    },
    timeout(100),
    30_000,
  ),
  handshakeMs: always(
    {
      name: "handshake-timeout",
      group: "peers",
      reference: "network.handshake-timeout",
      about: "Time that a node has to say who it is",
    },
    timeout(100),
    30_000,
  ),
  askForPeersMs: always(
    {
      name: "peers-broadcast-interval",
      group: "peers",
      reference: "network.peers-broadcast-interval",
      about: "How often connected nodes are asked for the nodes that they know",
    },
    timeout(1_000),
    2 * MINUTE,
  ),
  maxInbound: always(
    {
      name: "max-inbound-connections",
      group: "peers",
      reference: "network.max-inbound-connections",
      about: "Connections that others may open",
    },
    whole(0, 10_000),
    30,
  ),
  maxOutbound: always(
    {
      name: "max-outbound-connections",
      group: "peers",
      reference: "network.max-outbound-connections",
      about: "Connections that this node opens by itself",
    },
    whole(0, 10_000),
    30,
  ),
  maxInboundOfHost: always(
    {
      name: "max-single-host-connections",
      group: "peers",
      reference: "network.max-single-host-connections",
      about: "Connections that others may open from one IP address",
    },
    whole(0, 10_000),
    3,
  ),
  maxUnverified: always(
    {
      name: "max-unverified-peers",
      group: "peers",
      reference: "network.max-unverified-peers",
      about: "Nodes that are kept by hearsay, to be tried later",
    },
    whole(0, 100_000),
    100,
  ),
  peersExchange: always(
    {
      name: "peers-exchange",
      group: "peers",
      reference: "network.enable-peers-exchange",
      about: "Ask others for the nodes that they know, and tell them ours",
      on: true,
      negated: "Do not ask others for the nodes that they know, nor tell them ours",
    },
    yesNo,
    true,
  ),
  blacklisting: always(
    {
      name: "blacklisting",
      group: "peers",
      reference: "network.enable-blacklisting",
      about: "Ban nodes that break the protocol. Without it they are only disconnected",
      on: true,
      negated: "Do not ban nodes that break the protocol, only disconnect them",
    },
    yesNo,
    true,
  ),
  quietWhenSent: always(
    {
      name: "ignore-tx-messages",
      group: "peers",
      reference: "network.traffic-logger.ignore-tx-messages",
      about: "Codes of messages that the log leaves out when they are sent, at the level `debug`",
    },
    list(messageCode("ignore-tx-messages"), "CODE,..."),
    [23, 25],
  ),
  quietWhenReceived: always(
    {
      name: "ignore-rx-messages",
      group: "peers",
      reference: "network.traffic-logger.ignore-rx-messages",
      about: "Codes of messages that the log leaves out when they come, at the level `debug`",
    },
    list(messageCode("ignore-rx-messages"), "CODE,..."),
    [25],
  ),
} as const;
