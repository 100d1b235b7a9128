/** What the settings say about other nodes, put together for the parts that talk to them. */
import type { PeersOptions } from "../peers/options.ts";
import type { PeerAddress } from "../peers/peer-address.ts";
import type { NetworkProfile } from "../profiles/index.ts";
import type { exchangeSettings } from "./groups/exchange-settings.ts";
import type { peerSettings } from "./groups/peer-settings.ts";
import type { SettingValues } from "./settings.ts";

type Values = Pick<SettingValues, keyof typeof peerSettings | keyof typeof exchangeSettings | "nodeName">;

/**
 * Where other nodes may connect. The reference listens with a declared address only (page 04 §4.1); here a host or port
 * that is given will do too, since whoever gives one wants to be connected to.
 */
function listenAt(
  { p2pHost, p2pPort, declaredAddress }: Values,
  network: NetworkProfile,
): PeerAddress | undefined {
  if (p2pHost === undefined && p2pPort === undefined && declaredAddress === undefined) return undefined;
  const standardHost = network.name === "dev" ? "127.0.0.1" : "0.0.0.0";
  return { host: p2pHost ?? standardHost, port: p2pPort ?? network.peers.port };
}

/** @returns undefined for a node that talks to no other */
export function peersOptions(values: Values, network: NetworkProfile): PeersOptions | undefined {
  if (!values.p2p) return undefined;
  return {
    connections: {
      listen: listenAt(values, network),
      declaredAddress: values.declaredAddress,
      nodeName: values.nodeName,
      nonce: values.nonce,
      knownPeers: values.knownPeers,
      peersFile: values.peersFile === "none" ? undefined : values.peersFile,
      knownPeerMs: values.knownPeerMs,
      blacklistMs: values.blacklistMs,
      suspensionMs: values.suspensionMs,
      idleMs: values.idleMs,
      dialMs: values.dialMs,
      handshakeMs: values.handshakeMs,
      askForPeersMs: values.askForPeersMs,
      rememberTransactionsMs: values.rememberTransactionsMs,
      maxInbound: values.maxInbound,
      maxOutbound: values.maxOutbound,
      maxInboundOfHost: values.maxInboundOfHost,
      maxUnverified: values.maxUnverified,
      exchange: values.peersExchange,
      blacklisting: values.blacklisting,
      quietWhenSent: values.quietWhenSent,
      quietWhenReceived: values.quietWhenReceived,
    },
    sync: {
      maxRollback: values.syncMaxRollback,
      maxChainLength: values.syncMaxChainLength,
      timeoutMs: values.syncTimeoutMs,
      invalidBlocksMs: values.invalidBlocksMs,
      microBlockCache: values.microBlockCache,
      blockCache: values.blockCache,
    },
    gossip: {
      rememberedTransactions: values.rememberedTransactions,
      rememberMs: values.gossipRememberMs,
      batchSize: values.gossipBatchSize,
      batchMs: values.gossipBatchMs,
    },
    microBlocks: {
      responseMs: values.microBlockResponseMs,
      processedMs: values.microBlockProcessedMs,
      announcementMs: values.microBlockAnnouncementMs,
    },
  };
}
