import { bytesKey } from "../../bytes/compare.ts";
import type { Reader } from "../kv.ts";
import { comparePlaces, type Place } from "../places.ts";
import { tables } from "../tables.ts";

const INITIAL_SLOTS = 1 << 6;

/**
 * The ids of a time span, in a hash table with open addressing. A slot has four words: two with the first
 * 8 bytes of the id, height, position + 1. The last word of a free slot is 0.
 */
class Generation {
  readonly start: bigint;
  /** Ids of the cached units: of the key block, or of the micro block's total. */
  readonly units = new Set<string>();
  #words = new Uint32Array(INITIAL_SLOTS * 4);
  #used = 0;

  constructor(timestamp: bigint) {
    this.start = timestamp;
  }

  get count(): number {
    return this.#used;
  }

  add(high: number, low: number, height: number, position: number): void {
    if (this.#used * 2 >= this.#words.length / 4) this.#grow();
    this.#insert(high, low, height, position + 1);
    this.#used++;
  }

  collect(high: number, low: number, found: Place[] | undefined): Place[] | undefined {
    const words = this.#words;
    const mask = words.length - 1;
    let places = found;
    for (let at = slotOf(low, mask); words[at + 3] !== 0; at = (at + 4) & mask) {
      if (words[at] !== high || words[at + 1] !== low) continue;
      places ??= [];
      places.push({ height: words[at + 2], position: words[at + 3] - 1 });
    }
    return places;
  }

  addTo(filter: IdFilter): void {
    const words = this.#words;
    for (let at = 0; at < words.length; at += 4) if (words[at + 3] !== 0) filter.add(words[at]);
  }

  #insert(high: number, low: number, height: number, positionPlusOne: number): void {
    const words = this.#words;
    const mask = words.length - 1;
    let at = slotOf(low, mask);
    while (words[at + 3] !== 0) at = (at + 4) & mask;
    words[at] = high;
    words[at + 1] = low;
    words[at + 2] = height;
    words[at + 3] = positionPlusOne;
  }

  #grow(): void {
    const old = this.#words;
    this.#words = new Uint32Array(old.length * 2);
    for (let at = 0; at < old.length; at += 4) {
      if (old[at + 3] !== 0) this.#insert(old[at], old[at + 1], old[at + 2], old[at + 3]);
    }
  }
}

const FILTER_BITS_PER_ID = 8;

/** A Bloom filter. Most lookups find no id: then they need not search the generations. */
class IdFilter {
  #words = new Uint32Array(INITIAL_SLOTS);
  #used = 0;

  /** @param high first 4 bytes of an id */
  mayContain(high: number): boolean {
    const words = this.#words;
    return (words[(high >>> 5) & (words.length - 1)] & (1 << high)) !== 0;
  }

  /** @returns false if the filter is full: fill it again */
  add(high: number): boolean {
    const words = this.#words;
    words[(high >>> 5) & (words.length - 1)] |= 1 << high;
    return ++this.#used * FILTER_BITS_PER_ID <= words.length * 32;
  }

  fill(generations: readonly Generation[]): void {
    const count = generations.reduce((sum, generation) => sum + generation.count, 0);
    let { length } = this.#words;
    // Room for twice as many.
    while (length * 32 < 2 * count * FILTER_BITS_PER_ID) length *= 2;
    this.#words = new Uint32Array(length);
    this.#used = 0;
    for (const generation of generations) generation.addTo(this);
  }
}

export interface IdCache {
  /** Ensures that the cache has all ids that the rules need at the tip of `reader`. */
  fillFrom(reader: Reader): void;
  /** @param timestamp ms */
  beginBlock(timestamp: bigint): void;
  add(id: Uint8Array, place: Place): void;
  /** Returns the places where an id may be, newest first. */
  find(id: Uint8Array): readonly Place[];
}

const NONE: readonly Place[] = [];

/** Uses the bits of an id directly, because ids are hashes. */
function slotOf(low: number, mask: number): number {
  return (low * 4) & mask;
}

/** An id is known for 2 hours from its transaction's time, at most 90 minutes after the block's (page 05 §10.7). */
const RECENT_WINDOW_MS = 12_600_000n;

/**
 * Caches the places of the newest blocks' transaction ids. Undone transactions stay in the cache, so the caller must
 * compare the results with the chain.
 *
 * If a unit is cached, all earlier units with a timestamp of at least `#cachedSince` are cached, too.
 */
export class RecentIds implements IdCache {
  #generations: Generation[] = [];
  /** Contains the ids of all generations, and of some that were removed. */
  readonly #filter = new IdFilter();
  /** In ms; undefined if all units are cached. */
  #cachedSince: bigint | undefined;

  get count(): number {
    return this.#generations.reduce((sum, generation) => sum + generation.count, 0);
  }

  /** Caches the ids of the two newest blocks and of the recent window. If some are missing, reads all of them. */
  fillFrom(reader: Reader): void {
    const tip = reader.get(tables.tip, undefined);
    if (tip === undefined) return;
    const { height } = tip;
    const timestampAt = (at: number): bigint | undefined => reader.get(tables.blockFacts, at)?.timestamp;
    const tipTime = timestampAt(height) ?? 0n;
    const parentTime = timestampAt(height - 1) ?? tipTime;
    const windowStart = tipTime - RECENT_WINDOW_MS;
    const covers = (timestamp: bigint): boolean =>
      this.#cachedSince === undefined || this.#cachedSince <= timestamp;
    const key = bytesKey(tip.id);
    if (this.#generations.some(({ units }) => units.has(key)) && covers(windowStart) && covers(parentTime))
      return;
    this.#generations = [];
    this.#cachedSince = undefined;
    let lowest = height;
    while (lowest > 1) {
      const earlierTime = timestampAt(lowest - 1);
      if (earlierTime !== undefined && earlierTime < windowStart && lowest < height) {
        this.#cachedSince = earlierTime + 1n;
        break;
      }
      lowest--;
    }
    for (let at = lowest; at <= height; at++) this.#readBlock(reader, at, timestampAt(at) ?? tipTime);
  }

  #readBlock(reader: Reader, height: number, timestamp: bigint): void {
    this.beginBlock(timestamp);
    const recorded = { from: { height, position: 0 }, to: { height: height + 1, position: 0 } };
    for (const [first, transactions] of reader.range(tables.recorded, recorded)) {
      let { position } = first;
      for (const { id } of transactions) this.add(id, { height, position: position++ });
    }
    const header = reader.get(tables.headers, height);
    if (header !== undefined) this.addUnit(header.baseSignature);
    const micros = { from: { height, sequence: 0 }, to: { height: height + 1, sequence: 0 } };
    for (const [, { totalSignature }] of reader.range(tables.microBlocks, micros))
      this.addUnit(totalSignature);
  }

  beginBlock(timestamp: bigint): void {
    const span = RECENT_WINDOW_MS / 4n;
    const newest = this.#generations.at(-1);
    if (newest === undefined || timestamp - newest.start > span)
      this.#generations.push(new Generation(timestamp));
    // Keep at least three generations: the three newest blocks may be in different ones.
    for (let oldest = this.#generations[0]; this.#generations.length > 3; oldest = this.#generations[0]) {
      const end = oldest.start + span;
      if (end >= timestamp - RECENT_WINDOW_MS) break;
      this.#generations.shift();
      this.#cachedSince = end + 1n;
    }
  }

  add(id: Uint8Array, { height, position }: Place): void {
    const newest = this.#generations.at(-1);
    if (newest === undefined) throw new RangeError("Call beginBlock before add");
    const high = wordAt(id, 0);
    newest.add(high, wordAt(id, 4), height, position);
    if (!this.#filter.add(high)) this.#filter.fill(this.#generations);
  }

  /**
   * Marks a unit as cached, after its transaction ids were added.
   * @param id id of the key block, or of the micro block's total
   */
  addUnit(id: Uint8Array): void {
    this.#generations.at(-1)?.units.add(bytesKey(id));
  }

  find(id: Uint8Array): readonly Place[] {
    const high = wordAt(id, 0);
    if (!this.#filter.mayContain(high)) return NONE;
    const low = wordAt(id, 4);
    let found: Place[] | undefined;
    for (const generation of this.#generations) found = generation.collect(high, low, found);
    return found?.sort((a, b) => comparePlaces(b, a)) ?? NONE;
  }
}

/** For trial runs: does not add ids to `RecentIds`, and fills it only at the first lookup. */
export class ScratchIds implements IdCache {
  readonly #recent: RecentIds;
  readonly #added = new Map<string, Place>();
  #pendingReader: Reader | undefined;

  constructor(recent: RecentIds) {
    this.#recent = recent;
  }

  fillFrom(reader: Reader): void {
    this.#pendingReader = reader;
  }

  beginBlock(): void {}

  add(id: Uint8Array, place: Place): void {
    this.#added.set(bytesKey(id), place);
  }

  find(id: Uint8Array): readonly Place[] {
    if (this.#pendingReader !== undefined) this.#recent.fillFrom(this.#pendingReader);
    this.#pendingReader = undefined;
    const found = this.#recent.find(id);
    const added = this.#added.size === 0 ? undefined : this.#added.get(bytesKey(id));
    return added === undefined ? found : [added, ...found];
  }
}

function wordAt(bytes: Uint8Array, at: number): number {
  return ((bytes[at] << 24) | (bytes[at + 1] << 16) | (bytes[at + 2] << 8) | bytes[at + 3]) >>> 0;
}
