/** Comments start with the reference node's option name (page 04 §23). Times in ms. */
import type { PeerAddress } from "./peer-address.ts";

/** Page 04 §23.1, `network`. */
export interface ConnectionOptions {
  /** `bind-address` and `port`; undefined: peers cannot connect. Port 0: any free port. */
  readonly listen: PeerAddress | undefined;
  /** `declared-address`: sent to peers. Its host may be a name. */
  readonly declaredAddress: PeerAddress | undefined;
  /** `node-name`: at most 127 bytes of UTF-8; undefined: `Node-<nonce>`. */
  readonly nodeName: string | undefined;
  /** `nonce`: signed 64 bits; undefined: random at each start. */
  readonly nonce: bigint | undefined;
  /** `known-peers`: hosts may be names. */
  readonly knownPeers: readonly PeerAddress[];
  /** `file`; undefined: known peers are not stored. */
  readonly peersFile: string | undefined;
  /** `peers-data-residence-time`: how long a peer stays known after the last contact. */
  readonly knownPeerMs: number;
  /** `black-list-residence-time` */
  readonly blacklistMs: number;
  /** `suspension-residence-time`: how long a failed address is not dialled. */
  readonly suspensionMs: number;
  /** `break-idle-connections-timeout`: maximum time without a message. */
  readonly idleTimeoutMs: number;
  /** `connection-timeout` */
  readonly dialTimeoutMs: number;
  /** `handshake-timeout` */
  readonly handshakeTimeoutMs: number;
  /** `peers-broadcast-interval`: interval of `GetPeers`. */
  readonly peerRequestIntervalMs: number;
  /** `received-txs-cache-timeout`: how long a connection drops copies of a transaction. */
  readonly rememberTransactionsMs: number;
  /** `max-inbound-connections` */
  readonly maxInbound: number;
  /** `max-outbound-connections` */
  readonly maxOutbound: number;
  /** `max-single-host-connections`: maximum inbound connections per origin. */
  readonly maxInboundOfHost: number;
  /** `max-unverified-peers`: maximum number of known addresses that this node has not reached. */
  readonly maxUnverified: number;
  /** `enable-peers-exchange`: true if addresses are sent and accepted. */
  readonly exchange: boolean;
  /** `enable-blacklisting` */
  readonly blacklisting: boolean;
  /** `traffic-logger.ignore-tx-messages`: message codes that are not logged. */
  readonly quietWhenSent: readonly number[];
  /** `traffic-logger.ignore-rx-messages`: message codes that are not logged. */
  readonly quietWhenReceived: readonly number[];
}

/** Page 04 §23.2, `synchronization`. */
export interface SyncOptions {
  /** `max-rollback`: number of own block ids in a request, and maximum depth of a reorganisation. */
  readonly maxRollback: number;
  /** `max-chain-length`: maximum ids per answer. */
  readonly maxChainLength: number;
  /** `synchronization-timeout`: for requests of ids or a block. */
  readonly timeoutMs: number;
  /** `invalid-blocks-storage.timeout`: how long ids of invalid blocks are remembered. */
  readonly invalidBlocksMs: number;
  /** Block id of `--assume-valid`; undefined: all signatures of transactions are checked. */
  readonly assumeValid?: Uint8Array | undefined;
  /** `history-replier.max-micro-block-cache-size`: number of micro blocks kept for peers. */
  readonly microBlockCache: number;
  /** `history-replier.max-block-cache-size`: number of blocks kept for peers. */
  readonly blockCache: number;
}

/** Page 04 §23.2, `utx-synchronizer`. */
export interface GossipOptions {
  /** `network-tx-cache-size`: transactions remembered as seen. */
  readonly rememberedTransactions: number;
  /** `network-tx-cache-time` */
  readonly rememberMs: number;
  /** `max-buffer-size` */
  readonly batchSize: number;
  /** `max-buffer-time`: maximum wait for a full batch. */
  readonly batchMs: number;
}

/** Page 04 §23.2, `micro-block-synchronizer`. */
export interface MicroBlockOptions {
  /** `wait-response-timeout` */
  readonly responseTimeoutMs: number;
  /** `processed-micro-blocks-cache-timeout`: how long a processed micro block is not requested again. */
  readonly processedMs: number;
  /** `inv-cache-timeout`: lifetime of an announcement. */
  readonly announcementMs: number;
}

export interface PeersOptions {
  readonly connections: ConnectionOptions;
  readonly sync: SyncOptions;
  readonly gossip: GossipOptions;
  readonly microBlocks: MicroBlockOptions;
}

export const DEFAULT_PEER_OPTIONS = {
  connections: {
    knownPeerMs: 86_400_000,
    idleTimeoutMs: 300_000,
    dialTimeoutMs: 30_000,
    handshakeTimeoutMs: 30_000,
    peerRequestIntervalMs: 120_000,
    rememberTransactionsMs: 180_000,
    maxUnverified: 100,
    // `Block` and `Transaction`.
    quietWhenSent: [23, 25],
    quietWhenReceived: [25],
  },
  sync: {
    maxChainLength: 101,
    timeoutMs: 60_000,
    invalidBlocksMs: 86_400_000,
    microBlockCache: 50,
    blockCache: 20,
  },
  gossip: { rememberedTransactions: 1_000_000, rememberMs: 10_000, batchSize: 500, batchMs: 100 },
  microBlocks: { responseTimeoutMs: 2_000, processedMs: 180_000, announcementMs: 45_000 },
} as const;
