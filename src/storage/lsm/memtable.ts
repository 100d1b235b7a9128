import { getU32, putU32 } from "../codecs.ts";
import { comparePlaces, type Place } from "../places.ts";
import { ENTRY_WORDS, placeShape } from "./entry.ts";
import { TAG_LENGTH } from "./tree.ts";

export class Memtable {
  readonly shape = placeShape;
  #words = new Uint32Array(64 * ENTRY_WORDS);
  #length = 0;
  /**
   * A linked list for each tag, newest place first. `#heads` is a hash table of the lists' first entries. `#nextInList`
   * contains the next entry for each entry. Both contain the entry's index + 1; 0 means none.
   */
  #heads = new Int32Array(64);
  #nextInList = new Int32Array(64);
  #linkedCount = 0;
  #tagCount = 0;

  get count(): number {
    return this.#length / ENTRY_WORDS;
  }

  /** A view, valid until the next `add`. */
  get words(): Uint32Array {
    return this.#words.subarray(0, this.#length);
  }

  add(tag: Uint8Array, { height, position }: Place): void {
    if (this.#length === this.#words.length) {
      const grown = new Uint32Array(this.#words.length * 2);
      grown.set(this.#words);
      this.#words = grown;
    }
    const at = this.#length;
    this.#words[at] = (tag[0] << 24) | (tag[1] << 16) | (tag[2] << 8) | tag[3];
    this.#words[at + 1] = (tag[4] << 24) | (tag[5] << 16) | (tag[6] << 8) | tag[7];
    this.#words[at + 2] = height;
    this.#words[at + 3] = position;
    this.#length = at + ENTRY_WORDS;
  }

  /** Yields the places of a tag, newest first, each once. Entries may be added during the iteration. */
  *find(tag: Uint8Array, below?: Place): Generator<Place> {
    this.#linkAll();
    let next = this.#heads[this.#slotOf(getU32(tag, 0), getU32(tag, 4))];
    for (; next !== 0; next = this.#nextInList[next - 1]) {
      const place = this.#placeOf(next - 1);
      if (below === undefined || comparePlaces(place, below) < 0) yield place;
    }
  }

  findAscending(tag: Uint8Array): Place[] {
    return [...this.find(tag)].reverse();
  }

  *all(): Generator<[Uint8Array, Place]> {
    for (let at = 0; at < this.#length; at += ENTRY_WORDS) {
      const tag = new Uint8Array(TAG_LENGTH);
      putU32(tag, 0, this.#words[at]);
      putU32(tag, 4, this.#words[at + 1]);
      yield [tag, { height: this.#words[at + 2], position: this.#words[at + 3] }];
    }
  }

  #placeOf(entry: number): Place {
    return { height: this.#words[entry * ENTRY_WORDS + 2], position: this.#words[entry * ENTRY_WORDS + 3] };
  }

  #linkAll(): void {
    if (this.#nextInList.length < this.count) {
      const grown = new Int32Array(this.#words.length / ENTRY_WORDS);
      grown.set(this.#nextInList);
      this.#nextInList = grown;
    }
    for (; this.#linkedCount < this.count; this.#linkedCount++) this.#linkEntry(this.#linkedCount);
  }

  #linkEntry(entry: number): void {
    if (this.#tagCount * 2 >= this.#heads.length) this.#growHashTable();
    const slot = this.#slotOf(this.#words[entry * ENTRY_WORDS], this.#words[entry * ENTRY_WORDS + 1]);
    // After a rollback, the new entry may not be the newest.
    const place = this.#placeOf(entry);
    let newer = 0;
    let next = this.#heads[slot];
    if (next === 0) this.#tagCount++;
    while (next !== 0) {
      const order = comparePlaces(this.#placeOf(next - 1), place);
      if (order === 0) return;
      if (order < 0) break;
      newer = next;
      next = this.#nextInList[next - 1];
    }
    this.#nextInList[entry] = next;
    if (newer === 0) this.#heads[slot] = entry + 1;
    else this.#nextInList[newer - 1] = entry + 1;
  }

  #growHashTable(): void {
    const oldHeads = this.#heads;
    this.#heads = new Int32Array(oldHeads.length * 2);
    for (const head of oldHeads) {
      const at = (head - 1) * ENTRY_WORDS;
      if (head !== 0) this.#heads[this.#slotOf(this.#words[at], this.#words[at + 1])] = head;
    }
  }

  #slotOf(high: number, low: number): number {
    const mixed = Math.imul(high ^ Math.imul(low, 0x9e37_79b1), 0x85eb_ca6b);
    const mask = this.#heads.length - 1;
    for (let slot = (mixed ^ (mixed >>> 16)) & mask; ; slot = (slot + 1) & mask) {
      const at = (this.#heads[slot] - 1) * ENTRY_WORDS;
      if (at < 0 || (this.#words[at] === high && this.#words[at + 1] === low)) return slot;
    }
  }
}
