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

/** Reads the entries of several sorted runs in order. */
export class MergingCursor {
  /** The cursors with entries left, in the order of their current entries. */
  readonly #cursors: RunCursor[] = [];

  constructor(cursors: readonly RunCursor[]) {
    for (const cursor of cursors) {
      if (!cursor.isValid) continue;
      this.#cursors.unshift(cursor);
      this.#moveFirst();
    }
  }

  /** The cursor with the lowest entry; undefined at the end. */
  get lowest(): RunCursor | undefined {
    return this.#cursors[0];
  }

  /** Advances the lowest cursor. */
  advance(): void {
    const cursors = this.#cursors;
    cursors[0].advance();
    if (cursors[0].isValid) this.#moveFirst();
    else cursors.shift();
  }

  #moveFirst(): void {
    const cursors = this.#cursors;
    const first = cursors[0];
    let at = 0;
    for (; at + 1 < cursors.length && cursors[at + 1].isBefore(first); at++) cursors[at] = cursors[at + 1];
    cursors[at] = first;
  }
}
