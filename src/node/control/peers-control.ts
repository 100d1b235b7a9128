import { canonicalHost, ipBytes, ipNetwork, ipText, originOf } from "../../bytes/ip.ts";
import type { NodeControlHandlers, Outcome } from "../../control/index.ts";
import { failed, ok } from "../../errors/result.ts";
import type { Clock, Hosts } from "../../interfaces.ts";
import type { ConnectionLayer } from "../../peers/connections/connection-layer.ts";
import type { Peer } from "../../peers/connections/peer.ts";
import { parseHost } from "../../peers/peer-address.ts";
import type { Peers } from "../../peers/peers.ts";

async function resolveHost(
  text: string,
  hosts: Pick<Hosts, "resolve">,
): Promise<Outcome<{ readonly host: string; readonly addresses: readonly string[] }>> {
  try {
    const host = parseHost(text);
    const addresses = ipBytes(host) === undefined ? (await hosts.resolve(host)).map(canonicalHost) : [host];
    if (addresses.length > 0) return ok({ host, addresses });
  } catch {
    // The host is invalid or unresolvable.
  }
  return failed({ kind: "unknown-host", host: text });
}

/** Prefix length of an origin, by address length in bytes. */
const ORIGIN_BITS: ReadonlyMap<number, number> = new Map([
  [4, 32],
  [16, 64],
]);

/** Returns the address of an origin such as `2001:db8::/64`; other texts unchanged. */
function hostOfOrigin(text: string): string {
  const network = text.includes("/") ? ipNetwork(text) : undefined;
  if (network === undefined || ORIGIN_BITS.get(network.address.length) !== network.bits) return text;
  return ipText(network.address);
}

interface ConnectedPeerSources {
  readonly clock: Pick<Clock, "monotonic">;
  readonly scoreOf: (peer: Peer) => bigint | undefined;
}

export function peersControl(
  peers: Pick<ConnectionLayer, "network" | "database" | "connect" | "blacklist"> | undefined,
  hosts: Pick<Hosts, "resolve">,
  { clock, scoreOf }: ConnectedPeerSources,
): Omit<NodeControlHandlers["peers"], "sync" | "parts"> {
  return {
    async known(limit) {
      const known = peers?.database.knownPeers() ?? [];
      return known.slice(0, limit).map(({ address: { host, port }, lastSeen }) => ({ host, port, lastSeen }));
    },
    async connected() {
      if (peers === undefined) return [];
      const now = clock.monotonic();
      return Array.from(peers.network.peers, (peer) => {
        const { host, port, handshake, inbound, since } = peer;
        return {
          host,
          port,
          declaredAddress: handshake.declaredAddress,
          name: handshake.nodeName,
          nonce: handshake.nonce,
          applicationName: handshake.applicationName,
          version: [handshake.version.major, handshake.version.minor, handshake.version.patch],
          isInbound: inbound,
          connectedMs: now - since,
          received: peer.bytesReceived,
          sent: peer.bytesSent,
          score: scoreOf(peer),
        };
      });
    },
    banned: async (limit) => peers?.database.blacklisted().slice(0, limit) ?? [],
    suspended: async (limit) => peers?.database.suspended().slice(0, limit) ?? [],
    async connect({ host: text, port }) {
      if (peers === undefined) return failed({ kind: "no-peers" });
      const found = await resolveHost(text, hosts);
      if (!found.ok) return found;
      peers.connect({ host: found.value.host, port });
      return ok(undefined);
    },
    async banHost(text, reason) {
      if (peers === undefined) return failed({ kind: "no-peers" });
      if (!peers.database.canBan) return failed({ kind: "bans-disabled" });
      const found = await resolveHost(hostOfOrigin(text), hosts);
      if (!found.ok) return found;
      for (const address of found.value.addresses) {
        peers.blacklist(address, reason);
        peers.database.blacklist(address, reason);
      }
      const origins = [...new Set(found.value.addresses.map(originOf))];
      return ok({ origins, durationMs: peers.database.banMs });
    },
    async unbanHost(text) {
      if (peers === undefined) return failed({ kind: "no-peers" });
      const found = await resolveHost(hostOfOrigin(text), hosts);
      if (!found.ok) return found;
      const unbanned = found.value.addresses.filter((address) => peers.database.unban(address));
      if (unbanned.length === 0) return failed({ kind: "not-banned", host: text });
      return ok(unbanned.map(originOf));
    },
    clearBans: async () => {
      peers?.database.clearBlacklist();
    },
    async ban(text, reason) {
      const found = await resolveHost(text, hosts);
      if (!found.ok) return found;
      for (const address of found.value.addresses) peers?.blacklist(address, reason);
      return ok(undefined);
    },
  };
}

/** @param peers undefined if P2P is disabled */
export function syncControl(
  peers: Pick<Peers, "count" | "sync" | "history" | "microBlocks"> | undefined,
): Pick<NodeControlHandlers["peers"], "sync" | "parts"> {
  return {
    async sync() {
      if (peers === undefined) return undefined;
      const { target, claimed, blocksPerSecond, transactionsPerSecond, secondsLeft } = peers.sync.progress;
      const rates = { blocksPerSecond, transactionsPerSecond, secondsLeft };
      return {
        peers: peers.count,
        targetHeight: target?.height,
        claimedHeight: claimed?.height,
        ...rates,
        deepBranch: peers.sync.deepBranch,
      };
    },
    async parts() {
      if (peers === undefined) return undefined;
      const { extensionLoader, best, scores } = peers.sync.state;
      const { announced, announcedReferences, awaited, processed } = peers.microBlocks.sizes;
      return {
        extensionLoader,
        historyReplier: peers.history.cacheSizes,
        microBlockSynchronizer: {
          microBlockOwners: announced,
          nextInvs: announcedReferences,
          awaiting: awaited,
          successfullyReceived: processed,
        },
        bestChannel: best,
        scores,
      };
    },
  };
}
