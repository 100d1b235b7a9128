/**
 * Page 04 §7, §8. The decoder reads ids, scores, addresses, announcements and checkpoints completely. In
 * blocks and micro blocks, it only finds the header and the positions of transactions.
 */

import type { MicroBlockAnnouncement } from "../../blocks/announcement.ts";
import type { BlockScan } from "../../blocks/block.ts";
import type { Checkpoint } from "../../blocks/checkpoint.ts";
import type { MicroBlockScan } from "../../blocks/micro-block.ts";
import type { PeerAddress } from "../peer-address.ts";

export interface Contents {
  GetPeers: unknown;
  Peers: { readonly addresses: readonly PeerAddress[] };
  /** Ids of the sender's chain, 64 bytes, newest first. Requests the ids after the first one that the receiver has. */
  GetSignatures: { readonly ids: readonly Uint8Array[] };
  /** The first id of the request that the sender has, and the ids after it, oldest first. */
  Signatures: { readonly ids: readonly Uint8Array[] };
  GetBlock: { readonly id: Uint8Array };
  Block: { readonly bytes: Uint8Array };
  Score: { readonly score: bigint };
  Transaction: { readonly bytes: Uint8Array };
  MicroBlockInv: { readonly announcement: MicroBlockAnnouncement };
  /** Total signature of the micro block, 64 bytes. */
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

/** No other object uses the bytes of a received message. */
export type ReceivedMessage<T extends MessageType = MessageType> = {
  [Type in T]: { readonly type: Type } & ReceivedContents[Type];
}[T];
