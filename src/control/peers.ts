/** What the node is asked about other nodes. */
import { defineControl, typed } from "./define.ts";
import type { Outcome } from "./failure.ts";

/** Where another node is: an IP address or a name, and a port. */
export interface HostAndPort {
  readonly host: string;
  readonly port: number;
}

/** Another node that was reached, or that the operator named. */
export interface KnownPeerInfo extends HostAndPort {
  /** ms; 2^63 - 1 for one that the operator named. Page 04 §22. */
  readonly lastSeen: bigint;
}

/** Another node that is connected: from where it talks, and what it says of itself. Page 04 §5. */
export interface ConnectedPeerInfo extends HostAndPort {
  readonly declaredAddress: HostAndPort | undefined;
  /** Whatever it likes: at most 127 bytes. */
  readonly name: string;
  readonly nonce: bigint;
  readonly applicationName: string;
  readonly version: readonly number[];
  /** Whether it was the other side that dialled. */
  readonly inbound: boolean;
  /** For how long it is connected, ms. */
  readonly connectedMs: number;
  /** Bytes of the connection so far. */
  readonly received: number;
  readonly sent: number;
  /** Score of its chain as it told it last; undefined: it did not yet. */
  readonly score: bigint | undefined;
}

/** A host that is not dialled, since when (ms). */
export interface SuspendedHostInfo {
  readonly host: string;
  readonly since: number;
}

/** A host that is banned, since when (ms), and what for: at most some 2000 characters. */
export interface BannedHostInfo extends SuspendedHostInfo {
  readonly reason: string;
}

/** How far this node is behind others, and how fast it catches up. */
export interface SyncInfo {
  /** Nodes that are connected. */
  readonly peers: number;
  /** Approximate height of the better chain that this node fetches; undefined: no blocks prove that it is behind. */
  readonly targetHeight: number | undefined;
  /** Approximate height of the chain that a peer claims to have; undefined: no peer claims to be ahead. It proves nothing. */
  readonly claimedHeight: number | undefined;
  /** Over the last half minute. */
  readonly blocksPerSecond: number;
  readonly transactionsPerSecond: number;
  /** Until the target is reached, by the rate of now; undefined while nothing is known of it. */
  readonly secondsLeft: number | undefined;
}

/** What the parts that talk to other nodes are at, by the names of page 06 §7.16. */
export interface PeerParts {
  readonly extensionLoader: string;
  readonly historyReplier: { readonly blocks: number; readonly microBlocks: number };
  readonly microBlockSynchronizer: {
    readonly microBlockOwners: number;
    readonly nextInvs: number;
    readonly awaiting: number;
    readonly successfullyReceived: number;
  };
  /** The connection whose score is the best. */
  readonly bestChannel: string | undefined;
  /** Connections whose scores are known. */
  readonly scores: number;
}

/** Other nodes, and how far this one is behind them. */
export const peersControl = defineControl({
  /** The first of the nodes that are known and not banned. */
  known: {
    mutates: false,
    call: typed<(limit: number) => Promise<readonly KnownPeerInfo[]>>(),
  },
  connected: { mutates: false, call: typed<() => Promise<readonly ConnectedPeerInfo[]>>() },
  banned: {
    mutates: false,
    call: typed<(limit: number) => Promise<readonly BannedHostInfo[]>>(),
  },
  suspended: {
    mutates: false,
    call: typed<(limit: number) => Promise<readonly SuspendedHostInfo[]>>(),
  },
  /** Begins to connect to a node, whether or not it is banned; what comes of it is in the log. Page 04 §22. */
  connect: { mutates: true, call: typed<(peer: HostAndPort) => Promise<Outcome<void>>>() },
  /** Clears the ban list. */
  clearBans: { mutates: true, call: typed<() => Promise<void>>() },
  /** Bans the hosts of a name or address that are connected, and ends their connections. Page 06 §7.16. */
  ban: {
    mutates: true,
    call: typed<(host: string, reason: string) => Promise<Outcome<void>>>(),
  },
  /** Undefined: it talks to no other nodes, as in the next. */
  sync: { mutates: false, call: typed<() => Promise<SyncInfo | undefined>>() },
  parts: { mutates: false, call: typed<() => Promise<PeerParts | undefined>>() },
});
