/**
 * Large indexes, each an LSM tree (log-structured merge tree): from 8 bytes (of a transaction id, of an address) to
 * the places on the chain where it occurs. One row per place would make each write dirty its own page in a large
 * store. Sorted runs are written and merged sequentially, so the cost of an entry does not grow with the chain.
 *
 * - An *entry* is 16 bytes: the tag and a place. Counters (`counters.ts`) have other entries. Undone entries stay.
 * - A *tag* is the 8 bytes by which an entry is found.
 * - The *memtable* (`memtable.ts`) holds the entries that a commit adds, until they are flushed as a sorted run.
 * - A *sorted run* (`sorted-run.ts`) holds entries in order, in *chunks* of 512, one row each. It never changes.
 * - *Compaction* (`compaction.ts`) merges sorted runs of similar size (a *tier*) into one.
 * - *Fence pointers* (`fence-pointers.ts`) are the first tags of the chunks of a run. They lead to the chunk.
 * - A *lookup* (`lookup.ts`) iterates over the entries of a tag in all runs at once, in order of their places.
 */
import type { Place } from "../places.ts";

/** A tree; `id` 0-255. `tables.ts` lists all of them. */
export interface LsmTree {
  readonly id: number;
}

export const TAG_LENGTH = 8;

export interface EntryReader {
  /**
   * Returns the places added under the first 8 bytes of `tag`, each once, newest first, before `below` if given. They
   * are candidates: they include entries of undone blocks and of other tags with the same beginning, so the caller
   * compares with the chain.
   *
   * The result is lazy: the first few places cost the same for ten entries as for a million. It may miss entries
   * added during the iteration.
   */
  findEntries(tree: LsmTree, tag: Uint8Array, below?: Place): Iterable<Place>;
  /** As `findEntries` without a bound, oldest first. */
  findEntriesAscending(tree: LsmTree, tag: Uint8Array): Iterable<Place>;
}

export interface EntryWriter extends EntryReader {
  /** Adds a place under the first 8 bytes of `tag`. Adding it again changes nothing. */
  addEntry(tree: LsmTree, tag: Uint8Array, place: Place): void;
}
