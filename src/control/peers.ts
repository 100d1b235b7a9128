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

/** Since `since`, ms. */
export interface SuspendedHostInfo {
  readonly host: string;
  readonly since: number;
}

/** Banned since `since`, ms; the reason has about 2000 characters at most. */
export interface BannedHostInfo extends SuspendedHostInfo {
  readonly reason: string;
}

export interface SyncInfo {
  readonly peers: number;
  /** Approximate height of the better chain that this node fetches; undefined if no blocks prove one. */
  readonly targetHeight: number | undefined;
  /** Approximate; set if a peer claims to be ahead. A claim is not a proof. */
  readonly claimedHeight: number | undefined;
  /** Over the last half minute. */
  readonly blocksPerSecond: number;
  readonly transactionsPerSecond: number;
  /** At the current rate; undefined if unknown. */
  readonly secondsLeft: number | undefined;
}

/** By the names of page 06 §7.16. */
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
  readonly scores: number;
}

export const peersControl = defineControl({
  /** Without banned ones. */
  known: query<(limit: number) => Promise<readonly KnownPeerInfo[]>>(),
  connected: query<() => Promise<readonly ConnectedPeerInfo[]>>(),
  banned: query<(limit: number) => Promise<readonly BannedHostInfo[]>>(),
  suspended: query<(limit: number) => Promise<readonly SuspendedHostInfo[]>>(),
  /** Dials even a banned peer; the log has the result. Page 04 §22. */
  connect: command<(peer: HostAndPort) => Promise<Outcome<void>>>(),
  clearBans: command<() => Promise<void>>(),
  /** Bans connected hosts of a name or address, and disconnects them. Page 06 §7.16. */
  ban: command<(host: string, reason: string) => Promise<Outcome<void>>>(),
  /** Undefined if P2P is disabled, like `parts`. */
  sync: query<() => Promise<SyncInfo | undefined>>(),
  parts: query<() => Promise<PeerParts | undefined>>(),
});
