/** Checkpoints: signed lists of required blocks. Page 03 §15. */
import { bytesEqual, concatBytes } from "../bytes/compare.ts";
import { ByteReader } from "../bytes/reader.ts";
import { ByteWriter } from "../bytes/writer.ts";
import { verify } from "../crypto/signatures.ts";
import { BLOCK_ID_LENGTH } from "./block.ts";
import { BlockParseError, parseOrThrow } from "./errors.ts";

/** Maximum in one checkpoint. */
const MAX_ITEMS = 10;

export interface CheckpointItem {
  readonly height: number;
  /** Id of the required block, 64 bytes. */
  readonly id: Uint8Array;
}

/** Items are usually in descending order of height. */
export interface Checkpoint {
  readonly items: readonly CheckpointItem[];
  /** 64 bytes. */
  readonly signature: Uint8Array;
}

export function checkpointUnsignedBytes(items: readonly CheckpointItem[]): Uint8Array {
  const writer = new ByteWriter().i32(items.length);
  for (const { height, id } of items) writer.i32(height).bytes(id);
  return writer.toBytes();
}

export function checkpointBytes({ items, signature }: Checkpoint): Uint8Array {
  return concatBytes(checkpointUnsignedBytes(items), signature);
}

/** @throws BlockParseError */
export function parseCheckpoint(bytes: Uint8Array): Checkpoint {
  const reader = new ByteReader(bytes);
  return parseOrThrow(() => {
    const count = reader.i32();
    if (count < 0 || count > MAX_ITEMS) throw new BlockParseError(`${count} checkpoint items`);
    const items: CheckpointItem[] = [];
    for (let i = 0; i < count; i++) {
      items.push({ height: reader.i32(), id: reader.bytes(BLOCK_ID_LENGTH) });
    }
    return { items, signature: reader.bytes(BLOCK_ID_LENGTH) };
  });
}

export function isCheckpointSigned({ items, signature }: Checkpoint, publicKey: Uint8Array): boolean {
  return verify({ keyType: "ed25519", bytes: publicKey }, checkpointUnsignedBytes(items), signature);
}

/** Returns false if an item requires another block at the height. */
export function fitsCheckpoint(items: readonly CheckpointItem[], height: number, id: Uint8Array): boolean {
  return items.every((item) => item.height !== height || bytesEqual(item.id, id));
}
