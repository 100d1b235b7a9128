import { randomUUID } from "node:crypto";
import { Overlay } from "./batch/overlay.ts";
import { EncodingSource, type WriteBatch } from "./batch/write-batch.ts";
import { readAndClose, StoreStateError, WriteSlot, writeAndCommit } from "./batch/write-slot.ts";
import { DelegatingReader, type Reader } from "./kv.ts";
import type { Snapshot, Store } from "./store.ts";

class LayerSnapshot extends DelegatingReader implements Snapshot {
  readonly #rows: Overlay;
  readonly #onClose: () => void;
  #open = true;

  constructor(rows: Overlay, onClose: () => void) {
    super();
    this.#rows = rows;
    this.#onClose = onClose;
  }

  protected source(): Reader {
    if (!this.#open) throw new StoreStateError("The snapshot is closed");
    return this.#rows;
  }

  close(): void {
    if (!this.#open) return;
    this.#open = false;
    this.#onClose();
  }
}

export class MemoryStore extends DelegatingReader implements Store {
  readonly id: string = randomUUID();
  readonly #slot: WriteSlot;
  /** The base rows, then one layer for each commit made while snapshots were open. */
  readonly #layers: [Overlay, ...Overlay[]];
  #snapshots = 0;
  #closed = false;

  constructor(rollbackDepth: number | undefined, rows = new Overlay()) {
    super();
    this.#slot = new WriteSlot(rollbackDepth);
    this.#layers = [rows];
  }

  protected source(): Reader {
    this.#checkOpen();
    return this.#top;
  }

  snapshot(): Snapshot {
    this.#checkOpen();
    this.#snapshots++;
    return new LayerSnapshot(this.#top, () => {
      if (--this.#snapshots === 0) this.#mergeLayers();
    });
  }

  read<T>(reading: (reader: Reader) => T): T {
    return readAndClose(this.snapshot(), reading);
  }

  begin(): WriteBatch {
    this.#checkOpen();
    return this.#slot.begin(new EncodingSource(this.#top));
  }

  commit(batch: WriteBatch): void {
    this.#checkOpen();
    this.#slot.release(batch);
    batch.flushCounts();
    // Encodes all values, to reject invalid ones.
    for (const { value } of batch.changes()) void value;
    if (this.#snapshots > 0) this.#layers.push(new Overlay(this.#top));
    this.merge(batch);
    batch.discard();
  }

  protected merge(batch: WriteBatch): void {
    batch.mergeInto(this.#top);
  }

  abandon(batch: WriteBatch): void {
    this.#slot.abandon(batch);
  }

  write<T>(writing: (batch: WriteBatch) => T): T {
    return writeAndCommit(this, writing);
  }

  async writeAsync<T>(writing: (batch: WriteBatch) => T): Promise<T> {
    return this.write(writing);
  }

  statistics(): undefined {
    return undefined;
  }

  async close(): Promise<void> {
    this.#closed = true;
  }

  get #top(): Overlay {
    return this.#layers.at(-1) ?? this.#layers[0];
  }

  #mergeLayers(): void {
    // An open batch still reads the top layer.
    if (this.#slot.hasOpenBatch) return;
    for (const layer of this.#layers.splice(1)) layer.mergeInto(this.#layers[0]);
  }

  #checkOpen(): void {
    if (this.#closed) throw new StoreStateError("The store is closed");
  }
}

export function memoryStore(options: { readonly rollbackDepth?: number } = {}): Store {
  return new MemoryStore(options.rollbackDepth);
}
