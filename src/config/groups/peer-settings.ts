/** Page 04 §23.1. A flag has the reference's name if that is clear without the section's name. */

import { parsePeerAddress } from "../../peers/peer-address.ts";
import { booleanKind, host, int64, list, pathOrNone, peerAddress, whole } from "../kinds/kinds.ts";
import { MINUTE, residenceTime } from "../kinds/quantity-kinds.ts";
import { optional, withDefault } from "./define-setting.ts";

export const connectionSettings = {
  enabled: withDefault("p2p", booleanKind, (network) => network.name !== "dev", {
    basic: true,
    about: "Connect to other nodes (P2P)",
    defaultText: "yes; on dev only if peers or a P2P address or port are given",
    negated: "Disable P2P. On `dev` it is enabled only if peers or a P2P address or port are given",
  }),
  host: optional("p2p-host", host, {
    reference: "network.bind-address",
    about:
      "Address to listen on for other nodes. The node listens if this, --p2p-port or --declared-address is given",
    defaultText: `"0.0.0.0"; on dev "127.0.0.1"`,
  }),
  port: optional("p2p-port", whole(0, 65_535, "a port"), {
    reference: "network.port",
    basic: true,
    about: "Port to listen on for other nodes; 0: a free port, which is logged",
    defaultText: "6868 on mainnet, else 6863",
  }),
  declaredAddress: optional("declared-address", peerAddress({ needsPort: true }), {
    container: "DECLARED_ADDRESS",
    reference: "network.declared-address",
    basic: true,
    about: "Public address that this node announces; with it, the node listens",
  }),
  knownPeers: withDefault(
    "peers",
    list(peerAddress({ needsPort: false }), "HOST[:PORT],..."),
    (network) => network.peers.known.map((text) => parsePeerAddress(text)),
    {
      reference: "network.known-peers",
      basic: true,
      about: "Nodes to connect to first. The default port is 6863 on every network",
      defaultText: "the bootstrap nodes of mainnet and testnet, else none",
    },
  ),
  nonce: optional("nonce", int64, {
    reference: "network.nonce",
    about:
      "Node nonce: identifies this node among others on the same IP address. If you set it, use a " +
      "different value for each node",
    defaultText: "random at every start",
  }),
  peersFile: withDefault("peers-file", pathOrNone, (_, dataDir) => `${dataDir}/peers.dat`, {
    reference: "network.file",
    about: "File of known nodes; `none` keeps them in memory",
    defaultText: "<data-dir>/peers.dat",
  }),
  blacklistMs: withDefault(
    "black-list-residence-time",
    residenceTime,
    (network) => network.peers.blacklistMs,
    {
      reference: "network.black-list-residence-time",
      about: "How long a node is banned by its IP address (IPv6: /64 network) after it broke the protocol",
      defaultText: "15m; on testnet 30m",
    },
  ),
  suspensionMs: withDefault("suspension-residence-time", residenceTime, MINUTE, {
    reference: "network.suspension-residence-time",
    about: "How long a node is not dialled after it was unreachable or closed the connection",
  }),
  maxInbound: withDefault("max-inbound-connections", whole(0, 10_000), 30, {
    reference: "network.max-inbound-connections",
    about: "Maximum number of inbound connections",
  }),
  maxOutbound: withDefault("max-outbound-connections", whole(0, 10_000), 30, {
    reference: "network.max-outbound-connections",
    about: "Maximum number of outbound connections",
  }),
  maxInboundOfHost: withDefault("max-single-host-connections", whole(0, 10_000), 3, {
    reference: "network.max-single-host-connections",
    about: "Maximum number of inbound connections from one IP address",
  }),
  exchange: withDefault("peers-exchange", booleanKind, true, {
    reference: "network.enable-peers-exchange",
    about: "Exchange addresses of known nodes with other nodes",
    negated: "Do not exchange addresses of known nodes with other nodes",
  }),
  blacklisting: withDefault("blacklisting", booleanKind, true, {
    reference: "network.enable-blacklisting",
    about: "Ban nodes that break the protocol. Otherwise they are only disconnected",
    negated: "Do not ban nodes that break the protocol, only disconnect them",
  }),
} as const;

/** Page 04 §23.2. */
export const syncSettings = {
  maxRollback: withDefault("sync-max-rollback", whole(1, 200), 100, {
    reference: "synchronization.max-rollback",
    about: "Maximum number of blocks that a better chain may replace. The protocol allows at most 200",
  }),
} as const;
