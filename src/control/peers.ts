/** Calls about peers. */
import { command, defineControl, query } from "./define.ts";
import type { Outcome } from "./failure.ts";

/** IP address or host name, and port. */
export interface HostAndPort {
  readonly host: string;
  readonly port: number;
}

export interface KnownPeerInfo extends HostAndPort {
  /** ms; 2^63 - 1 for a configured peer. Page 04 §22. */
  readonly lastSeen: bigint;
}

/** Address and handshake of a peer. Page 04 §5. */
export interface ConnectedPeerInfo extends HostAndPort {
  readonly declaredAddress: HostAndPort | undefined;
  /** Chosen by the peer, at most 127 bytes. */
  readonly name: string;
  readonly nonce: bigint;
  readonly applicationName: string;
  readonly version: readonly number[];
  /** True if the peer dialled. */
  readonly inbound: boolean;
  /** Duration of the connection, ms. */
  readonly connectedMs: number;
  /** Bytes on this connection. */
  readonly received: number;
  readonly sent: number;
  /** Latest score of its chain; undefined: not received yet. */
  readonly score: bigint | undefined;
}

/** Not dialled since `since`, ms. */
export interface SuspendedHostInfo {
  readonly host: string;
  readonly since: number;
}

/** Banned since `since`, ms; the reason has about 2000 characters at most. */
export interface BannedHostInfo extends SuspendedHostInfo {
  readonly reason: string;
}

export interface SyncInfo {
  /** Number of connected peers. */
  readonly peers: number;
  /** Approximate height of the better chain that this node fetches; undefined: no blocks prove that it is behind. */
  readonly targetHeight: number | undefined;
  /** Approximate height that a peer claims to have, if any claims to be ahead. A claim is not a proof. */
  readonly claimedHeight: number | undefined;
  /** Over the last half minute. */
  readonly blocksPerSecond: number;
  readonly transactionsPerSecond: number;
  /** Time to the target at the current rate; undefined if unknown. */
  readonly secondsLeft: number | undefined;
}

/** State of the P2P components, by the names of page 06 §7.16. */
export interface PeerParts {
  readonly extensionLoader: string;
  readonly historyReplier: { readonly blocks: number; readonly microBlocks: number };
  readonly microBlockSynchronizer: {
    readonly microBlockOwners: number;
    readonly nextInvs: number;
    readonly awaiting: number;
    readonly successfullyReceived: number;
  };
  /** The connection with the best score. */
  readonly bestChannel: string | undefined;
  /** Number of connections with a known score. */
  readonly scores: number;
}

export const peersControl = defineControl({
  /** Known peers that are not banned. */
  known: query<(limit: number) => Promise<readonly KnownPeerInfo[]>>(),
  connected: query<() => Promise<readonly ConnectedPeerInfo[]>>(),
  banned: query<(limit: number) => Promise<readonly BannedHostInfo[]>>(),
  suspended: query<(limit: number) => Promise<readonly SuspendedHostInfo[]>>(),
  /** Dials a peer, even a banned one; the log has the result. Page 04 §22. */
  connect: command<(peer: HostAndPort) => Promise<Outcome<void>>>(),
  clearBans: command<() => Promise<void>>(),
  /** Bans the connected hosts of a name or address, and closes their connections. Page 06 §7.16. */
  ban: command<(host: string, reason: string) => Promise<Outcome<void>>>(),
  /** Undefined if P2P is disabled, also for `parts`. */
  sync: query<() => Promise<SyncInfo | undefined>>(),
  parts: query<() => Promise<PeerParts | undefined>>(),
});
