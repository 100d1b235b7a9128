/**
 * The messages between nodes. Page 04 §7, §8.
 *
 * What the wire reads and what it leaves: of ids, scores, addresses, announcements and checkpoints everything but
 * signatures. Blocks and micro blocks are scanned: their header and the places of their transactions are known, the
 * transactions are not. A transaction is bytes. Whoever takes these parses transactions (`parseTransactionsAt`,
 * `parseTransaction`), whose refusal is an `invalidMessage` too, and has signatures checked (`verification/`).
 */

import type { MicroBlockAnnouncement } from "../../blocks/announcement.ts";
import type { BlockScan } from "../../blocks/block.ts";
import type { Checkpoint } from "../../blocks/checkpoint.ts";
import type { MicroBlockScan } from "../../blocks/micro-block.ts";
import type { PeerAddress } from "../peer-address.ts";

/** What the messages hold, by their names. */
export interface Contents {
  /** Asks for `Peers`. */
  GetPeers: unknown;
  /** Addresses that the sender knows: claims. */
  Peers: { readonly addresses: readonly PeerAddress[] };
  /** Ids (64 bytes) of the sender's chain, newest first: which blocks follow the first one known? */
  GetSignatures: { readonly ids: readonly Uint8Array[] };
  /** The first known id of those asked about, and what follows it, oldest first. */
  Signatures: { readonly ids: readonly Uint8Array[] };
  /** Asks for the block with an id (64 bytes). */
  GetBlock: { readonly id: Uint8Array };
  Block: { readonly bytes: Uint8Array };
  /** Score of the sender's chain: a claim. */
  Score: { readonly score: bigint };
  Transaction: { readonly bytes: Uint8Array };
  /** Says that a micro block exists. */
  MicroBlockInv: { readonly announcement: MicroBlockAnnouncement };
  /** Asks for the micro block with a total (64 bytes). */
  MicroBlockRequest: { readonly id: Uint8Array };
  MicroBlockResponse: { readonly bytes: Uint8Array };
  Checkpoint: { readonly checkpoint: Checkpoint };
}

/** What a message has on top of that when it comes from a peer. */
export interface ReceivedContents extends Contents {
  Block: Contents["Block"] & { readonly scan: BlockScan };
  MicroBlockResponse: Contents["MicroBlockResponse"] & { readonly scan: MicroBlockScan };
}

/** The name of a message. */
export type MessageType = keyof Contents;

/** A message to send. */
export type Message<T extends MessageType = MessageType> = {
  [Type in T]: { readonly type: Type } & Contents[Type];
}[T];

/** A message that a peer sent, in the form that it has to have. Its byte strings belong to nobody else. */
export type ReceivedMessage<T extends MessageType = MessageType> = {
  [Type in T]: { readonly type: Type } & ReceivedContents[Type];
}[T];
