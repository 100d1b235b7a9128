/**
 * Connections to other nodes: page 04 §23.1. Flags have the names of the reference's settings, unless these are
 * unclear without their section.
 */

import { parsePeerAddress } from "../../peers/peer-address.ts";
import { host, int64, list, pathOrNone, peerAddress, whole, yesNo } from "../kinds/kinds.ts";
import { MINUTE, memoryTime } from "../kinds/quantity-kinds.ts";
import { optional, withDefault } from "./define-setting.ts";

export const connectionSettings = {
  enabled: withDefault("p2p", yesNo, (network) => network.name !== "dev", {
    about: "Talk to other nodes",
    defaultText: "yes; on dev only when peers, an address or a port for them are given",
    negated:
      "Do not talk to other nodes. On `dev` the node does so only when peers, an address or a port for them are given",
  }),
  host: optional("p2p-host", host, {
    reference: "network.bind-address",
    about:
      "Address on which other nodes may connect. It listens when this, --p2p-port or --declared-address is given",
    defaultText: `"0.0.0.0"; on dev "127.0.0.1"`,
  }),
  port: optional("p2p-port", whole(0, 65_535, "a port"), {
    reference: "network.port",
    about: "Port on which other nodes may connect; 0 takes a free one and the log says which",
    defaultText: "6868 on mainnet, else 6863",
  }),
  declaredAddress: optional("declared-address", peerAddress({ needsPort: true }), {
    container: "DECLARED_ADDRESS",
    reference: "network.declared-address",
    about: "Where others can reach this node, as it tells them; with it, the node listens",
  }),
  knownPeers: withDefault(
    "peers",
    list(peerAddress({ needsPort: false }), "HOST:PORT,..."),
    (network) => network.peers.known.map((text) => parsePeerAddress(text)),
    {
      reference: "network.known-peers",
      about: "Nodes to begin with. Without a port, 6863 is meant on every network",
      defaultText: "the bootstrap nodes of mainnet and testnet, else none",
    },
  ),
  nonce: optional("nonce", int64, {
    reference: "network.nonce",
    about:
      "Number by which others tell nodes behind one address apart: give every node of an address its own, and leave " +
      "it as it is",
    defaultText: "random at every start",
  }),
  peersFile: withDefault("peers-file", pathOrNone, (_, dataDir) => `${dataDir}/peers.dat`, {
    reference: "network.file",
    about: "File of the nodes that are known; `none` keeps them in memory only",
    defaultText: "<data-dir>/peers.dat",
  }),
  blacklistMs: withDefault("black-list-residence-time", memoryTime, (network) => network.peers.blacklistMs, {
    reference: "network.black-list-residence-time",
    about: "How long a node that broke the protocol is banned, by its IP address (IPv6: its /64 network)",
    defaultText: "15m; on testnet 30m",
  }),
  suspensionMs: withDefault("suspension-residence-time", memoryTime, MINUTE, {
    reference: "network.suspension-residence-time",
    about: "How long a node is not dialled that could not be reached, or closed the connection",
  }),
  maxInbound: withDefault("max-inbound-connections", whole(0, 10_000), 30, {
    reference: "network.max-inbound-connections",
    about: "Connections that others may open",
  }),
  maxOutbound: withDefault("max-outbound-connections", whole(0, 10_000), 30, {
    reference: "network.max-outbound-connections",
    about: "Connections that this node opens by itself",
  }),
  maxInboundOfHost: withDefault("max-single-host-connections", whole(0, 10_000), 3, {
    reference: "network.max-single-host-connections",
    about: "Connections that others may open from one IP address",
  }),
  exchange: withDefault("peers-exchange", yesNo, true, {
    reference: "network.enable-peers-exchange",
    about: "Ask others for the nodes that they know, and tell them ours",
    negated: "Do not ask others for the nodes that they know, nor tell them ours",
  }),
  blacklisting: withDefault("blacklisting", yesNo, true, {
    reference: "network.enable-blacklisting",
    about: "Ban nodes that break the protocol. Without it they are only disconnected",
    negated: "Do not ban nodes that break the protocol, only disconnect them",
  }),
} as const;

/** Synchronization with other nodes: page 04 §23.2. */
export const syncSettings = {
  maxRollback: withDefault("sync-max-rollback", whole(1, 200), 100, {
    reference: "synchronization.max-rollback",
    about: "Blocks that a better chain of other nodes may replace. Others refuse to hear of more than 200",
  }),
} as const;
