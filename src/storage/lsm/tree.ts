/**
 * Large indexes. Each is an LSM tree (log-structured merge tree) that maps 8 bytes, for example of an address, to the
 * places on the chain where the address occurs. With one row per place, each write would dirty its own page of a large
 * store. Sorted runs are written and merged sequentially, so the cost of an entry does not grow with the chain.
 *
 * - An *entry* is 16 bytes: a *tag*, by which it is found, and a place. Counters (`counters.ts`) have other entries.
 *   Entries of undone units stay.
 * - The *memtable* (`memtable.ts`) contains the entries that a commit adds, until they are flushed as a sorted run.
 * - A *sorted run* (`sorted-run.ts`) contains entries in order, in *chunks* of 512, one row each. It never changes.
 * - *Compaction* (`compaction.ts`) merges sorted runs of similar size (a *tier*) into one.
 * - *Fence pointers* (`fence-pointers.ts`) are the first tags of the chunks of a run. They show which chunk to read.
 */
import type { Place } from "../places.ts";

/** `id` is 0-255. `tables.ts` lists all trees. */
export interface LsmTree {
  readonly id: number;
}

export const TAG_LENGTH = 8;

export interface EntryReader {
  /**
   * Returns the places added under the first 8 bytes of `tag`, newest first, each place once. Some may belong to undone
   * blocks, or to other tags with the same first bytes, so the caller must compare them with the chain.
   *
   * The result is lazy: the first few places cost the same for ten entries as for a million. It may miss entries added
   * during the iteration.
   * @param below only places before this one
   */
  findEntries(tree: LsmTree, tag: Uint8Array, below?: Place): Iterable<Place>;
  /** Like `findEntries`, but oldest first. */
  findEntriesAscending(tree: LsmTree, tag: Uint8Array): Iterable<Place>;
}

export interface EntryWriter extends EntryReader {
  /** Adds a place under the first 8 bytes of `tag`. Adding it again changes nothing. */
  addEntry(tree: LsmTree, tag: Uint8Array, place: Place): void;
}
