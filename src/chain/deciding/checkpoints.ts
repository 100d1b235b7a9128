import {
  type Checkpoint,
  type CheckpointItem,
  checkpointBytes,
  fitsCheckpoint,
  isCheckpointSigned,
  parseCheckpoint,
} from "../../blocks/checkpoint.ts";
import { bytesEqual } from "../../bytes/compare.ts";
import { failed, ok, type Result } from "../../errors/result.ts";
import type { Reader, Writer } from "../../storage/kv.ts";
import { tables } from "../../storage/tables.ts";
import { headerRow } from "../reading/rows.ts";

export interface CheckpointSettings {
  /** Ed25519 key (32 bytes) for checkpoints. Without it, all are rejected. */
  readonly checkpointKey?: Uint8Array | undefined;
  /** In force until a signed checkpoint replaces them. */
  readonly checkpoints?: readonly CheckpointItem[] | undefined;
}

/** The checkpoint in force. Page 03 §15. */
export class CheckpointList {
  #items: readonly CheckpointItem[];
  #signature: Uint8Array | undefined;
  readonly #publicKey: Uint8Array | undefined;

  constructor({ checkpointKey, checkpoints = [] }: CheckpointSettings) {
    this.#items = checkpoints;
    this.#publicKey = checkpointKey;
  }

  load(reader: Reader): void {
    const stored = reader.get(tables.checkpoint, undefined);
    if (stored !== undefined) this.replace(parseCheckpoint(stored));
  }

  store(writer: Writer, checkpoint: Checkpoint): void {
    writer.put(tables.checkpoint, undefined, checkpointBytes(checkpoint));
  }

  replace({ items, signature }: Checkpoint): void {
    this.#items = items;
    this.#signature = signature;
  }

  allows(height: number, id: Uint8Array): boolean {
    return fitsCheckpoint(this.#items, height, id);
  }

  isInForce({ signature }: Checkpoint): boolean {
    return this.#signature !== undefined && bytesEqual(this.#signature, signature);
  }

  check(checkpoint: Checkpoint): Result<void, string> {
    if (this.isInForce(checkpoint)) return failed("Checkpoint already applied");
    if (this.#publicKey !== undefined && isCheckpointSigned(checkpoint, this.#publicKey))
      return ok(undefined);
    return failed("Invalid checkpoint signature");
  }

  /**
   * Returns the height of our newest block that the checkpoint lists, or 1 if it lists none; undefined if no block must
   * be removed.
   */
  heightOfAgreement(checkpoint: Checkpoint, reader: Reader, tip: number): number | undefined {
    const items = checkpoint.items.filter(({ height }) => height >= 1 && height <= tip);
    const agreed = items.findIndex(({ height, id }) => bytesEqual(headerRow(reader, height).signature, id));
    if (agreed === 0 || items.length === 0) return undefined;
    return items[agreed]?.height ?? 1;
  }
}
