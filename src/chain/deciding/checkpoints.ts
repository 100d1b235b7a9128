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

/** What the operator configures. */
export interface CheckpointSettings {
  /** Ed25519 key (32 bytes) whose checkpoints are accepted; without one none is. */
  readonly checkpointKey?: Uint8Array | undefined;
  /** In force until a checkpoint is accepted. */
  readonly checkpoints?: readonly CheckpointItem[] | undefined;
}

/** The checkpoints in force. Page 03 §15. */
export class CheckpointList {
  #items: readonly CheckpointItem[];
  #signature: Uint8Array | undefined;
  readonly #publicKey: Uint8Array | undefined;

  constructor({ checkpointKey, checkpoints = [] }: CheckpointSettings) {
    this.#items = checkpoints;
    this.#publicKey = checkpointKey;
  }

  /** Takes the checkpoint accepted last, if there is one, in the place of the configured list. */
  load(reader: Reader): void {
    const stored = reader.get(tables.checkpoint, undefined);
    if (stored !== undefined) this.replace(parseCheckpoint(stored));
  }

  /** Stores an accepted checkpoint, for `load`. */
  store(writer: Writer, checkpoint: Checkpoint): void {
    writer.put(tables.checkpoint, undefined, checkpointBytes(checkpoint));
  }

  /** Puts an accepted checkpoint in force, in the place of what was. */
  replace({ items, signature }: Checkpoint): void {
    this.#items = items;
    this.#signature = signature;
  }

  /** Whether a block may stand at a height. */
  allows(height: number, id: Uint8Array): boolean {
    return fitsCheckpoint(this.#items, height, id);
  }

  /** Whether it is the checkpoint that was accepted last. */
  isInForce({ signature }: Checkpoint): boolean {
    return this.#signature !== undefined && bytesEqual(this.#signature, signature);
  }

  /** Whether a checkpoint may be accepted. An error is the protocol's text. */
  check(checkpoint: Checkpoint): Result<void, string> {
    if (this.isInForce(checkpoint)) return failed("Checkpoint already applied");
    if (this.#publicKey !== undefined && isCheckpointSigned(checkpoint, this.#publicKey))
      return ok(undefined);
    return failed("Invalid checkpoint signature");
  }

  /** The newest height at which a checkpoint agrees with the chain; undefined when it agrees with all of it. */
  heightOfAgreement(checkpoint: Checkpoint, reader: Reader, tip: number): number | undefined {
    const items = checkpoint.items.filter(({ height }) => height >= 1 && height <= tip);
    const agreed = items.findIndex(({ height, id }) => bytesEqual(headerRow(reader, height).signature, id));
    if (agreed === 0 || items.length === 0) return undefined;
    return items[agreed]?.height ?? 1;
  }
}
