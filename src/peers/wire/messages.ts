/**
 * Messages between nodes. Page 04 §7, §8.
 *
 * The wire checks ids, scores, addresses, announcements and checkpoints except for signatures. It only scans blocks
 * and micro blocks for the header and the positions of transactions. Handlers parse transactions
 * (`parseTransactionsAt`, `parseTransaction`), report errors as `invalidMessage`, and have signatures checked
 * (`verification/`).
 */

import type { MicroBlockAnnouncement } from "../../blocks/announcement.ts";
import type { BlockScan } from "../../blocks/block.ts";
import type { Checkpoint } from "../../blocks/checkpoint.ts";
import type { MicroBlockScan } from "../../blocks/micro-block.ts";
import type { PeerAddress } from "../peer-address.ts";

export interface Contents {
  GetPeers: unknown;
  /** Addresses that the sender claims to know. */
  Peers: { readonly addresses: readonly PeerAddress[] };
  /** Requests the blocks after the first known id. Ids (64 bytes) of the sender's chain, newest first. */
  GetSignatures: { readonly ids: readonly Uint8Array[] };
  /** The request's first known id, and the following ones, oldest first. */
  Signatures: { readonly ids: readonly Uint8Array[] };
  /** 64 bytes. */
  GetBlock: { readonly id: Uint8Array };
  Block: { readonly bytes: Uint8Array };
  /** The sender's claim. */
  Score: { readonly score: bigint };
  Transaction: { readonly bytes: Uint8Array };
  MicroBlockInv: { readonly announcement: MicroBlockAnnouncement };
  /** The micro block's total, 64 bytes. */
  MicroBlockRequest: { readonly id: Uint8Array };
  MicroBlockResponse: { readonly bytes: Uint8Array };
  Checkpoint: { readonly checkpoint: Checkpoint };
}

export interface ReceivedContents extends Contents {
  Block: Contents["Block"] & { readonly scan: BlockScan };
  MicroBlockResponse: Contents["MicroBlockResponse"] & { readonly scan: MicroBlockScan };
}

export type MessageType = keyof Contents;

export type Message<T extends MessageType = MessageType> = {
  [Type in T]: { readonly type: Type } & Contents[Type];
}[T];

/** A valid message of a peer. Its bytes are not shared. */
export type ReceivedMessage<T extends MessageType = MessageType> = {
  [Type in T]: { readonly type: Type } & ReceivedContents[Type];
}[T];
