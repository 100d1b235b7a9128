/**
 * Look-ups of large volume, each an LSM tree (log-structured merge tree): from 8 bytes (of a transaction id, of an
 * address) to the places on the chain where it occurs. A row for each of them would dirty a page of its own once the
 * store is large; sorted runs are written and merged from end to end, so that an entry costs the same in the millionth
 * block as in the first.
 *
 * - An *entry* is 16 bytes: the tag and a place; counters (`counters.ts`) have others. Entries are only ever added: what is undone stays behind.
 * - A *tag* is the 8 bytes that an entry is found by.
 * - The *memtable* (`memtable.ts`) holds the entries that a commit adds, until the commit flushes them as a sorted run.
 * - A *sorted run* (`sorted-run.ts`) holds entries in order, in *chunks* of 512, each a row. It never changes.
 * - *Compaction* (`compaction.ts`) merges sorted runs of a like size, a *tier*, into one.
 * - *Fence pointers* (`fence-pointers.ts`) are the first tags of the chunks of a run: they lead to the chunk.
 * - A *look-up* (`lookup.ts`) walks through the entries of a tag in all runs at once, in order of their places.
 */
import type { Place } from "../places.ts";

/** One of the trees; `id` 0-255. The list stands in `tables.ts`. */
export interface LsmTree {
  readonly id: number;
}

/** Bytes of a tag that an entry keeps. */
export const TAG_LENGTH = 8;

/** Reads entries. */
export interface EntryReader {
  /**
   * Places entered under the first 8 bytes of `tag`, each once, newest first, below `below` when given. They are
   * candidates: entries of blocks that left the chain, and of other tags that begin alike, are among them, so
   * the caller compares with what stands at the place.
   *
   * A walk reads as it goes, so that the first few places of a tag cost the same whether it has ten or a million.
   * It may miss entries that are added while it goes on, but stays in order and misses no other ones.
   */
  findEntries(tree: LsmTree, tag: Uint8Array, below?: Place): Iterable<Place>;
  /** The same, all of them and oldest first. */
  findEntriesAscending(tree: LsmTree, tag: Uint8Array): Iterable<Place>;
}

/** Adds entries. */
export interface EntryWriter extends EntryReader {
  /** Enters a place under the first 8 bytes of `tag`. Entering it again changes nothing. */
  addEntry(tree: LsmTree, tag: Uint8Array, place: Place): void;
}
