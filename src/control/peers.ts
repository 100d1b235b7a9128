import type { DeepBranch } from "./deep-branch.ts";
import { command, defineControl, query, remotely } from "./define.ts";
import type { Outcome } from "./failure.ts";

export interface HostAndPort {
  readonly host: string;
  readonly port: number;
}

export interface KnownPeerInfo extends HostAndPort {
  /** Page 04 §22. */
  readonly lastSeen: bigint;
}

/** Page 04 §5. */
export interface ConnectedPeerInfo extends HostAndPort {
  readonly declaredAddress: HostAndPort | undefined;
  /** Chosen by the peer, at most 127 bytes. */
  readonly name: string;
  readonly nonce: bigint;
  readonly applicationName: string;
  readonly version: readonly number[];
  readonly isInbound: boolean;
  /** Duration of the connection. */
  readonly connectedMs: number;
  /** Bytes. */
  readonly received: number;
  readonly sent: number;
  /** Score that the peer announced last, if any. */
  readonly score: bigint | undefined;
}

/** `since`: start of the suspension or ban, ms since 1970. */
export interface SuspendedHostInfo {
  readonly host: string;
  readonly since: number;
}

/** The reason has at most about 2000 characters. */
export interface BannedHostInfo extends SuspendedHostInfo {
  readonly reason: string;
}

export interface SyncInfo {
  readonly peers: number;
  /** Approximate height of the better chain that the node downloads; undefined before blocks prove its score. */
  readonly targetHeight: number | undefined;
  /** Approximate height that a peer claims without proof; set if above this node's. */
  readonly claimedHeight: number | undefined;
  /** Averages over 30 seconds. */
  readonly blocksPerSecond: number;
  readonly transactionsPerSecond: number;
  /** Estimated time to the target height; undefined if unknown. */
  readonly secondsLeft: number | undefined;
  readonly deepBranch: DeepBranch | undefined;
}

/** State of the parts that exchange blocks. Page 06 §7.16 defines the names. */
export interface PeerParts {
  readonly extensionLoader: string;
  readonly historyReplier: { readonly blocks: number; readonly microBlocks: number };
  readonly microBlockSynchronizer: {
    readonly microBlockOwners: number;
    readonly nextInvs: number;
    readonly awaiting: number;
    readonly successfullyReceived: number;
  };
  /** Connection with the best score. */
  readonly bestChannel: string | undefined;
  readonly scores: number;
}

export interface HostBan {
  /** IPv4 addresses and `/64` networks of IPv6 addresses. */
  readonly origins: readonly string[];
  readonly durationMs: number;
}

export const peersControl = defineControl({
  /** Returns peers that are not banned. */
  known: remotely(1, query<(limit: number) => Promise<readonly KnownPeerInfo[]>>()),
  connected: remotely(0, query<() => Promise<readonly ConnectedPeerInfo[]>>()),
  banned: remotely(1, query<(limit: number) => Promise<readonly BannedHostInfo[]>>()),
  suspended: remotely(1, query<(limit: number) => Promise<readonly SuspendedHostInfo[]>>()),
  /** Connects, even to a banned peer. Page 04 §22. */
  connect: command<(peer: HostAndPort) => Promise<Outcome<void>>>(),
  /** Bans and disconnects the origins of a host name, address, IPv4 `/32` or IPv6 `/64` network. */
  banHost: command<(host: string, reason: string) => Promise<Outcome<HostBan>>>(),
  /** Lifts the bans of a host, written as for `banHost`. Returns the origins that were banned. */
  unbanHost: command<(host: string) => Promise<Outcome<readonly string[]>>>(),
  clearBans: command<() => Promise<void>>(),
  /** Bans and disconnects a host if it is connected. Page 06 §7.16. */
  ban: command<(host: string, reason: string) => Promise<Outcome<void>>>(),
  sync: remotely(0, query<() => Promise<SyncInfo | undefined>>()),
  parts: remotely(0, query<() => Promise<PeerParts | undefined>>()),
});
