/** Page 03 §3.3, page 04 §14. */
import { concatBytes } from "../bytes/compare.ts";
import { ByteReader } from "../bytes/reader.ts";
import { addressOf } from "../crypto/addresses.ts";
import { type KeyPair, sign, verify } from "../crypto/signatures.ts";
import { BLOCK_ID_LENGTH, KEY_LENGTH } from "./block.ts";
import { parseOrThrow } from "./errors.ts";
import type { MicroBlock } from "./micro-block.ts";

export interface MicroBlockAnnouncement {
  /** Ed25519 key, 32 bytes. */
  readonly generator: Uint8Array;
  /** 64 bytes: the micro block's id. */
  readonly totalSignature: Uint8Array;
  /** Id of the previous total, 64 bytes. */
  readonly reference: Uint8Array;
  /** 64 bytes. */
  readonly signature: Uint8Array;
}

export function announcementBytes(announcement: MicroBlockAnnouncement): Uint8Array {
  const { generator, totalSignature, reference, signature } = announcement;
  return concatBytes(generator, totalSignature, reference, signature);
}

/** Ignores trailing bytes. @throws BlockParseError if bytes are missing */
export function parseAnnouncement(bytes: Uint8Array): MicroBlockAnnouncement {
  const reader = new ByteReader(bytes);
  return parseOrThrow(() => ({
    generator: reader.bytes(KEY_LENGTH),
    totalSignature: reader.bytes(BLOCK_ID_LENGTH),
    reference: reader.bytes(BLOCK_ID_LENGTH),
    signature: reader.bytes(BLOCK_ID_LENGTH),
  }));
}

/** The signed bytes contain the generator's address instead of the key. */
function unsignedBytes(generator: Uint8Array, total: Uint8Array, reference: Uint8Array, chainId: number) {
  return concatBytes(addressOf(generator, chainId), total, reference);
}

export function signAnnouncement(
  micro: MicroBlock,
  keyPair: KeyPair,
  chainId: number,
): MicroBlockAnnouncement {
  const { totalSignature, reference } = micro;
  const generator = keyPair.publicKey;
  const signature = sign(keyPair, unsignedBytes(generator, totalSignature, reference, chainId));
  return { generator, totalSignature, reference, signature };
}

/** Returns what a checker thread needs: signed bytes, key, signature. */
export function announcementMessage(announcement: MicroBlockAnnouncement, chainId: number): Uint8Array {
  const { generator, totalSignature, reference, signature } = announcement;
  const signedBytes = unsignedBytes(generator, totalSignature, reference, chainId);
  return concatBytes(signedBytes, generator, signature);
}

export function isAnnouncementSigned(announcement: MicroBlockAnnouncement, chainId: number): boolean {
  const { generator, totalSignature, reference, signature } = announcement;
  const message = unsignedBytes(generator, totalSignature, reference, chainId);
  return verify({ keyType: "ed25519", bytes: generator }, message, signature);
}
