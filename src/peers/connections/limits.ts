/** Page 04 §25. Times in ms, lengths in bytes. */
import type { Budget } from "../../runtime/token-bucket.ts";
import type { MessageType } from "../wire/messages.ts";

const KIB = 1_024;
const MIB = KIB * KIB;

export const INBOUND_HANDSHAKE_TIMEOUT_MS = 10_000;
/** The longest frame needs this time at 35 KB/s. */
export const FRAME_TIMEOUT_MS = 60_000;
export const WRITE_TIMEOUT_MS = 30_000;
export const MAX_WRITE_LENGTH = 64 * KIB;
/** A peer with more queued bytes is disconnected. */
export const MAX_PENDING = 8 * MIB;
export const MAX_PENDING_FRAMES = 20_000;
/** A peer with at most this many queued bytes may get further large responses. */
export const DRAINED_PENDING = 256 * KIB;
export const MAX_TOTAL_PENDING = 64 * MIB;
/** Bytes of incomplete frames, all peers together. */
export const MAX_TOTAL_HELD = 32 * MIB;
/** Peers close connections that are silent for five minutes. Page 04 §26, rule 7. */
export const KEEPALIVE_INTERVAL_MS = 240_000;
/** A stopping node serves peers for this long after sending its last score. Page 04 §26, rule 10. */
export const SERVE_AFTER_SCORE_MS = 2_000;
/** New connections per origin (`originOf`). */
export const INBOUND_BUDGET: Budget = { perSecond: 5, burst: 60 };

/** Connections that newcomers from one site (`siteOf`) may displace when all slots are taken. */
export const SITE_DISPLACEMENT_BUDGET: Budget = { perSecond: 1 / 600, burst: 1 };
/** Higher: a range (`rangeOf`) contains unrelated sites. */
export const RANGE_DISPLACEMENT_BUDGET: Budget = { perSecond: 4 / 600, burst: 4 };

/** Bytes of unrequested messages per peer. */
export const BYTES_BUDGET: Budget = { perSecond: 512 * KIB, burst: 8 * MIB };

/** Unrequested messages of all types per peer. */
export const TOTAL_MESSAGE_BUDGET: Budget = { perSecond: 2_000, burst: 6_000 };

interface MessageBudget extends Budget {
  /** Excess messages wait, which pauses reading, or are dropped. */
  readonly surplus: "wait" | "drop";
}

/** Per peer. A reference node requests up to 200 blocks at once. */
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

/** By request type. Requested responses are not charged to the peer. */
export const RESPONSE_TYPES: { readonly [T in MessageType]?: MessageType } = {
  GetPeers: "Peers",
  GetSignatures: "Signatures",
  GetBlock: "Block",
  MicroBlockRequest: "MicroBlockResponse",
};
export const MAX_AWAITED_RESPONSES = 1_000;
