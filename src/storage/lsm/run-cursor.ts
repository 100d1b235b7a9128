import type { Reader } from "../kv.ts";
import { appendEntry, compareEntries, type EntryShape } from "./entry.ts";
import { CHUNK_ENTRIES, readChunk } from "./sorted-run.ts";

export class RunCursor {
  readonly run: number;
  index: number;
  readonly #rows: Reader;
  readonly #tree: number;
  readonly #count: number;
  readonly #shape: EntryShape;
  #words: Uint32Array = new Uint32Array(0);
  #at = 0;

  /**
   * @param index number of the first entry to read
   * @throws MissingChunkError, also from `advance`
   */
  constructor(
    rows: Reader,
    tree: number,
    run: number,
    { index, count }: { readonly index: number; readonly count: number },
    shape: EntryShape,
  ) {
    this.#rows = rows;
    this.#tree = tree;
    this.run = run;
    this.index = index;
    this.#count = count;
    this.#shape = shape;
    this.#load();
  }

  get isValid(): boolean {
    return this.index < this.#count;
  }

  advance(): void {
    this.index++;
    this.#at += this.#shape.width;
    if (this.#at >= this.#words.length) this.#load();
  }

  isBefore(other: RunCursor): boolean {
    return compareEntries(this.#words, this.#at, other.#words, other.#at, this.#shape) < 0;
  }

  appendTo(out: Uint32Array, length: number): number {
    return appendEntry(out, length, this.#words, this.#at, this.#shape);
  }

  #load(): void {
    if (!this.isValid) return;
    this.#words = readChunk(this.#rows, this.#tree, this.run, Math.floor(this.index / CHUNK_ENTRIES));
    this.#at = (this.index % CHUNK_ENTRIES) * this.#shape.width;
  }
}

export function lowestCursor(cursors: readonly RunCursor[]): RunCursor | undefined {
  let lowest: RunCursor | undefined;
  for (const cursor of cursors)
    if (cursor.isValid && (lowest === undefined || cursor.isBefore(lowest))) lowest = cursor;
  return lowest;
}
