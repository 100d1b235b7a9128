import type { Reader } from "./kv.ts";
import { comparePlaces, type Place } from "./places.ts";
import { tables } from "./tables.ts";

/** Slots to begin with; a generation doubles when it is half full. */
const FIRST_SLOTS = 1 << 12;

/** Open addressing over plain numbers: tag (two words), height, position + 1 (0: free). */
class Generation {
  /** Timestamp of its first block. */
  readonly start: bigint;
  private words = new Uint32Array(FIRST_SLOTS * 4);
  private used = 0;

  constructor(timestamp: bigint) {
    this.start = timestamp;
  }

  get count(): number {
    return this.used;
  }

  add(high: number, low: number, height: number, position: number): void {
    if (this.used * 2 >= this.words.length / 4) this.grow();
    this.place(high, low, height, position + 1);
    this.used++;
  }

  /** The places of a tag behind those found before. Nearly every id is new: nothing is made for those. */
  collect(high: number, low: number, found: Place[] | undefined): Place[] | undefined {
    const { words } = this;
    const mask = words.length - 1;
    let places = found;
    for (let at = slotOf(low, mask); words[at + 3] !== 0; at = (at + 4) & mask) {
      if (words[at] !== high || words[at + 1] !== low) continue;
      places ??= [];
      places.push({ height: words[at + 2], position: words[at + 3] - 1 });
    }
    return places;
  }

  private place(high: number, low: number, height: number, stored: number): void {
    const { words } = this;
    const mask = words.length - 1;
    let at = slotOf(low, mask);
    while (words[at + 3] !== 0) at = (at + 4) & mask;
    words[at] = high;
    words[at + 1] = low;
    words[at + 2] = height;
    words[at + 3] = stored;
  }

  private grow(): void {
    const old = this.words;
    this.words = new Uint32Array(old.length * 2);
    for (let at = 0; at < old.length; at += 4) {
      if (old[at + 3] !== 0) this.place(old[at], old[at + 1], old[at + 2], old[at + 3]);
    }
  }
}

const NONE: readonly Place[] = [];

/** First word of the slot where a tag's search begins; ids are hashes, so their bits serve as they are. */
function slotOf(low: number, mask: number): number {
  return (low * 4) & mask;
}

/**
 * How far back an id must be known: two hours from the newest block to the transaction's timestamp (page 05
 * §10.7), and 90 minutes that a transaction may be younger than its block (§10.2).
 */
export const RECENT_WINDOW = 12_600_000n;

/**
 * Places of the ids of the newest blocks, in memory: most ids asked for are new, and finding that out must not
 * cost a search of the store. Only ever a hint: what was undone stays in it, and the caller compares with what
 * stands at the place.
 */
export class RecentIds {
  readonly #window: bigint;
  #generations: Generation[] = [];
  /** Timestamp from which on every block's ids are held; undefined: from the first block on. */
  #floor: bigint | undefined;
  #covered = false;

  /** @param windowMs ids of blocks so much older than the newest may be forgotten */
  constructor(windowMs = RECENT_WINDOW) {
    this.#window = windowMs;
  }

  /** Number of entries held. */
  get count(): number {
    return this.#generations.reduce((sum, generation) => sum + generation.count, 0);
  }

  /**
   * Makes sure that the ids of the two newest blocks and of the blocks of the window are held, reading them
   * from `reader` where they are not: at the start, and after a rollback that went far back.
   */
  cover(reader: Reader): void {
    const height = reader.get(tables.heights, undefined)?.height ?? 0;
    const newest = reader.get(tables.blockFacts, height)?.timestamp;
    if (newest === undefined) {
      this.#covered = true;
      return;
    }
    const parent = reader.get(tables.blockFacts, height - 1)?.timestamp ?? newest;
    const since = newest - this.#window;
    const reaches = (timestamp: bigint): boolean => this.#floor === undefined || this.#floor <= timestamp;
    if (this.#covered && reaches(since) && reaches(parent)) return;
    this.#generations = [];
    this.#floor = undefined;
    this.#covered = true;
    let lowest = height;
    while (lowest > 1) {
      const below = reader.get(tables.blockFacts, lowest - 1)?.timestamp;
      if (below !== undefined && below < since && lowest < height) {
        this.#floor = below + 1n;
        break;
      }
      lowest--;
    }
    let at = 0;
    for (const [first, recorded] of reader.range(tables.recorded, {
      from: { height: lowest, position: 0 },
    })) {
      if (first.height !== at) {
        at = first.height;
        this.advance(reader.get(tables.blockFacts, at)?.timestamp ?? newest);
      }
      let { position } = first;
      for (const { id } of recorded) this.add(id, { height: at, position: position++ });
    }
  }

  /**
   * A block begins: ids added from now on are of this age. Forgets what is too old.
   * @param timestamp of the block, milliseconds
   */
  advance(timestamp: bigint): void {
    const span = this.#window / 4n;
    const newest = this.#generations.at(-1);
    if (newest === undefined || timestamp - newest.start > span)
      this.#generations.push(new Generation(timestamp));
    // Each block may be a generation of its own, and the two newest count whatever their age.
    for (let oldest = this.#generations[0]; this.#generations.length > 3; oldest = this.#generations[0]) {
      const end = oldest.start + span;
      if (end >= timestamp - this.#window) break;
      this.#generations.shift();
      this.#floor = end + 1n;
    }
  }

  /** Enters an id of the block that `advance` began. */
  add(id: Uint8Array, { height, position }: Place): void {
    const newest = this.#generations.at(-1);
    if (newest === undefined) throw new RangeError("An id needs a block: call advance first");
    newest.add(wordAt(id, 0), wordAt(id, 4), height, position);
  }

  /** Candidates for an id, newest first. */
  find(id: Uint8Array): readonly Place[] {
    const high = wordAt(id, 0);
    const low = wordAt(id, 4);
    let found: Place[] | undefined;
    for (const generation of this.#generations) found = generation.collect(high, low, found);
    return found?.sort((a, b) => comparePlaces(b, a)) ?? NONE;
  }
}

function wordAt(bytes: Uint8Array, at: number): number {
  return ((bytes[at] << 24) | (bytes[at + 1] << 16) | (bytes[at + 2] << 8) | bytes[at + 3]) >>> 0;
}
