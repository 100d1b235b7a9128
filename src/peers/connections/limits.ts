/** Limits per connection and for all connections. Page 04 §25. Times in ms, lengths in bytes. */
import type { Budget } from "../../runtime/token-bucket.ts";
import type { MessageType } from "../wire/messages.ts";

const KIB = 1_024;
const MIB = KIB * KIB;

/** Maximum handshake timeout for inbound connections: dialling nodes send theirs at once. */
export const INBOUND_HANDSHAKE_TIMEOUT_MS = 10_000;
/** Enough for the longest frame at 35 KB/s. */
export const FRAME_TIMEOUT_MS = 60_000;
export const WRITE_TIMEOUT_MS = 30_000;
/** Passed to the socket at once. */
export const MAX_WRITE_LENGTH = 64 * KIB;
/** Maximum bytes queued for one peer; above it, the peer does not read. */
export const MAX_PENDING = 8 * MIB;
/** Maximum frames queued for one peer: short messages use more memory than their bytes. */
export const MAX_PENDING_FRAMES = 20_000;
/** At or below this many queued bytes, more messages may be produced for a peer. */
export const DRAINED_PENDING = 256 * KIB;
/** Queued for all peers. */
export const MAX_TOTAL_PENDING = 64 * MIB;
/** Incomplete frames of all peers. */
export const MAX_TOTAL_HELD = 32 * MIB;
/** Peers close connections that are silent for five minutes. Page 04 §26, rule 7. */
export const KEEPALIVE_INTERVAL_MS = 240_000;
/** Minimum time for a peer that was told a score to ask for the chain. Page 04 §26, rule 10. */
export const SERVE_AFTER_SCORE_MS = 2_000;
/** Connections per origin: all nodes of one machine may reconnect within a minute. */
export const INBOUND_BUDGET: Budget = { perSecond: 5, burst: 60 };

/** Displacements per site when all slots are taken: one in ten minutes. */
export const SITE_DISPLACEMENT_BUDGET: Budget = { perSecond: 1 / 600, burst: 1 };
/** Displacements per address range: four in ten minutes, because unrelated sites share a provider's range. */
export const RANGE_DISPLACEMENT_BUDGET: Budget = { perSecond: 4 / 600, burst: 4 };

/** Unrequested bytes per peer. */
export const BYTES_BUDGET: Budget = { perSecond: 512 * KIB, burst: 8 * MIB };

/** Unrequested messages of all types per peer, for their cost apart from bytes. */
export const TOTAL_MESSAGE_BUDGET: Budget = { perSecond: 2_000, burst: 6_000 };

interface MessageBudget extends Budget {
  readonly surplus: "wait" | "drop";
}

/**
 * Unrequested messages per peer. A reference node requests up to 200 blocks at once, and the next ids when these have
 * come. It sends what its pool accepts, and a block or micro block every few seconds.
 */
export const MESSAGE_BUDGETS: { readonly [T in MessageType]: MessageBudget } = {
  GetPeers: { perSecond: 1 / 30, burst: 5, surplus: "drop" },
  Peers: { perSecond: 1 / 30, burst: 5, surplus: "drop" },
  GetSignatures: { perSecond: 20, burst: 40, surplus: "wait" },
  Signatures: { perSecond: 1, burst: 20, surplus: "drop" },
  GetBlock: { perSecond: 1_000, burst: 400, surplus: "wait" },
  Block: { perSecond: 2, burst: 50, surplus: "wait" },
  Score: { perSecond: 10, burst: 50, surplus: "wait" },
  Transaction: { perSecond: 1_000, burst: 5_000, surplus: "wait" },
  MicroBlockInv: { perSecond: 20, burst: 100, surplus: "wait" },
  MicroBlockRequest: { perSecond: 20, burst: 100, surplus: "wait" },
  MicroBlockResponse: { perSecond: 1, burst: 20, surplus: "drop" },
  Checkpoint: { perSecond: 1 / 10, burst: 10, surplus: "wait" },
};

/** A requested response costs its sender nothing. */
export const RESPONSE_TYPES: { readonly [T in MessageType]?: MessageType } = {
  GetPeers: "Peers",
  GetSignatures: "Signatures",
  GetBlock: "Block",
  MicroBlockRequest: "MicroBlockResponse",
};
/** Maximum counted requests per response type. */
export const MAX_AWAITED = 1_000;
