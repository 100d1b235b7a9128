import type { Reader } from "../kv.ts";
import { appendEntry, compareEntries, type EntryShape } from "./entry.ts";
import { CHUNK_ENTRIES, readChunk } from "./sorted-run.ts";

/** In ascending order. */
export class RunCursor {
  readonly run: number;
  taken: number;
  readonly #rows: Reader;
  readonly #tree: number;
  readonly #count: number;
  readonly #shape: EntryShape;
  #words: Uint32Array = new Uint32Array(0);
  #at = 0;

  /**
   * @param taken entries to skip
   * @param count entries of the run
   * @throws MissingChunkError, as every step does
   */
  constructor(
    rows: Reader,
    tree: number,
    run: number,
    { taken, count }: { readonly taken: number; readonly count: number },
    shape: EntryShape,
  ) {
    this.#rows = rows;
    this.#tree = tree;
    this.run = run;
    this.taken = taken;
    this.#count = count;
    this.#shape = shape;
    this.#load();
  }

  get isValid(): boolean {
    return this.taken < this.#count;
  }

  advance(): void {
    this.taken++;
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
    this.#words = readChunk(this.#rows, this.#tree, this.run, Math.floor(this.taken / CHUNK_ENTRIES));
    this.#at = (this.taken % CHUNK_ENTRIES) * this.#shape.width;
  }
}

/** Returns the cursor at the lowest entry, the first of several equal ones; undefined if all are at their end. */
export function lowestCursor(cursors: readonly RunCursor[]): RunCursor | undefined {
  let lowest: RunCursor | undefined;
  for (const one of cursors) if (one.isValid && (lowest === undefined || one.isBefore(lowest))) lowest = one;
  return lowest;
}
