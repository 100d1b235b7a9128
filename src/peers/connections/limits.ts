/** How much of this node one connection, and all of them, may take. Page 04 §25. Times are in ms, lengths in bytes. */
import type { Budget } from "../../runtime/token-bucket.ts";
import type { MessageType } from "../wire/messages.ts";

const KIB = 1_024;
const MIB = KIB * KIB;

/** Who dials speaks at once: so long somebody who dialled may take for a handshake, whatever the setting allows. */
export const INBOUND_HANDSHAKE_TIMEOUT_MS = 10_000;
/** The longest frame comes over a line of 35 KB a second in this time. */
export const FRAME_TIMEOUT_MS = 60_000;
/** A piece of what is sent is taken by the other side in this time. */
export const WRITE_TIMEOUT_MS = 30_000;
/** What is handed to the system at once. */
export const MAX_WRITE_LENGTH = 64 * KIB;
/** What may wait for one peer: beyond it, the peer does not read. */
export const MAX_PENDING = 8 * MIB;
/** Short messages take room beside their bytes: so many may wait for one peer. */
export const MAX_PENDING_FRAMES = 20_000;
/** With this much or less waiting, more may be made for a peer. */
export const DRAINED_PENDING = 256 * KIB;
/** What may wait for all peers. */
export const MAX_TOTAL_PENDING = 64 * MIB;
/** Parts of frames that may be kept, of all peers. */
export const MAX_TOTAL_HELD = 32 * MIB;
/** Something is sent at least this often: peers close connections that are silent for five minutes. Page 04 §26, rule 7. */
export const KEEPALIVE_INTERVAL_MS = 240_000;
/** How long a peer that announced a score can be asked for its chain, at least. Page 04 §26, rule 10. */
export const SERVE_AFTER_SCORE_MS = 2_000;
/** Connections that one origin may open. Those of a machine with many nodes come back within a minute. */
export const INBOUND_BUDGET: Budget = { perSecond: 5, burst: 60 };

/** Connections that newcomers of one site may displace when all places are taken: one in ten minutes. */
export const SITE_DISPLACEMENT_BUDGET: Budget = { perSecond: 1 / 600, burst: 1 };
/**
 * The same for one address range: four in ten minutes. Strangers share the range of a provider, and one site of it must
 * not use up what the others may displace.
 */
export const RANGE_DISPLACEMENT_BUDGET: Budget = { perSecond: 4 / 600, burst: 4 };

/** Bytes that a peer may send without being asked. */
export const BYTES_BUDGET: Budget = { perSecond: 512 * KIB, burst: 8 * MIB };

/** Messages of all kinds that a peer may send without being asked, for what each costs beside its bytes. */
export const TOTAL_MESSAGE_BUDGET: Budget = { perSecond: 2_000, burst: 6_000 };

/** What happens with a message that is too much: nothing is read for a while, or the message is passed over. */
interface MessageBudget extends Budget {
  readonly surplus: "wait" | "drop";
}

/**
 * Messages that a peer may send without being asked. A reference node asks for up to 200 blocks at once, and for the next
 * ids as soon as these are there; it sends whatever its pool takes, and a block or micro block every few seconds.
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

/** What answers what: an answer that was asked for costs its sender nothing. */
export const RESPONSE_TYPES: { readonly [T in MessageType]?: MessageType } = {
  GetPeers: "Peers",
  GetSignatures: "Signatures",
  GetBlock: "Block",
  MicroBlockRequest: "MicroBlockResponse",
};
/** Answers of a kind that are waited for, at most; more need not be counted. */
export const MAX_AWAITED = 1_000;
