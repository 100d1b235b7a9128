/**
 * Large indexes. Each is an LSM tree (log-structured merge tree) that maps tags to places on the chain.
 *
 * - An *entry* is a *tag* of 8 bytes and a place. Entries of counters (`storage/counters.ts`) have another form.
 *   Entries of undone units remain.
 * - The *memtable* (`memtable.ts`) contains the entries that a commit adds, until they are flushed as a
 *   sorted run.
 * - A *sorted run* (`sorted-run.ts`) contains entries in *chunks* of 512, one row each. A complete run never changes.
 * - *Compaction* (`compaction.ts`) merges sorted runs of similar size (a *tier*) into one.
 * - *Fence pointers* (`fence-pointers.ts`) contain the first tag of each chunk.
 */
import type { Place } from "../places.ts";

/** `id` is 0-255. */
export interface LsmTree {
  readonly id: number;
}

export const TAG_LENGTH = 8;

export interface EntryReader {
  /**
   * Returns the places of the first 8 bytes of `tag`, newest first, each place once. Some places may be in
   * undone blocks, or belong to keys with the same first bytes, so the caller must compare them with the
   * chain. The iteration may miss entries that are added during it.
   * @param below only places before this one
   */
  findEntries(tree: LsmTree, tag: Uint8Array, below?: Place): Iterable<Place>;
  findEntriesAscending(tree: LsmTree, tag: Uint8Array): Iterable<Place>;
}

export interface EntryWriter extends EntryReader {
  /** Adds a place for the first 8 bytes of `tag`, if absent. The caller may reuse `tag` afterwards. */
  addEntry(tree: LsmTree, tag: Uint8Array, place: Place): void;
}
