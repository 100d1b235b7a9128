import { endianness } from "node:os";
import { getU32, putU32 } from "../codecs.ts";

export interface EntryShape {
  /** Number of 32-bit words. */
  readonly width: number;
  /**
   * Number of leading words that identify an entry. The next word, if any, is a count: a merge adds the counts of equal
   * entries, and omits entries with count 0.
   */
  readonly keyWidth: number;
  /** Number of leading words that are bytes of a hash, at least 1: entries rarely differ only beyond the first word. */
  readonly hashWidth: number;
}

/** Tag (two words), height, position. */
export const placeShape: EntryShape = { width: 4, keyWidth: 4, hashWidth: 2 };
/** Counts (`storage/counters.ts`): key (five words), label, signed number. */
export const countShape: EntryShape = { width: 7, keyWidth: 6, hashWidth: 5 };

export const ENTRY_WORDS = placeShape.width;
export const ENTRY_BYTES = 4 * ENTRY_WORDS;

/** Below this length, `Buffer.swap32` is slower than a loop. */
const MIN_SWAPPED_WORDS = 64;
const IS_LITTLE_ENDIAN = endianness() === "LE";

/** Returns the words as big-endian bytes. */
export function wordsToBytes(words: Uint32Array): Uint8Array {
  const bytes = new Uint8Array(words.length * 4);
  if (IS_LITTLE_ENDIAN && words.length >= MIN_SWAPPED_WORDS) {
    new Uint32Array(bytes.buffer).set(words);
    Buffer.from(bytes.buffer).swap32();
  } else for (let i = 0; i < words.length; i++) putU32(bytes, i * 4, words[i]);
  return bytes;
}

export function bytesToWords(bytes: Uint8Array): Uint32Array {
  const words = new Uint32Array(bytes.length / 4);
  if (IS_LITTLE_ENDIAN && words.length >= MIN_SWAPPED_WORDS) {
    const swapped = Buffer.from(words.buffer);
    swapped.set(bytes);
    swapped.swap32();
  } else for (let i = 0; i < words.length; i++) words[i] = getU32(bytes, i * 4);
  return words;
}

export function compareEntries(
  a: Uint32Array,
  atA: number,
  b: Uint32Array,
  atB: number,
  { keyWidth }: EntryShape,
): number {
  for (let i = 0; i < keyWidth; i++) {
    const difference = a[atA + i] - b[atB + i];
    if (difference !== 0) return difference;
  }
  return 0;
}

/** From this number of words on, sorting by 16 bits at a time is faster than by 8. */
const MIN_WORDS_FOR_16_BITS = 2 ** 16;

/** Sorts entries, and merges equal ones. */
export function sortEntries(words: Uint32Array, shape: EntryShape): Uint32Array {
  const { width, keyWidth, hashWidth } = shape;
  // Entries are usually in chain order. Then a stable sort by hash is enough.
  const rest = isInChainOrder(words, shape) ? [] : wordNumbers(hashWidth, keyWidth);
  let [sorted, to] = radixSort(words.slice(), new Uint32Array(words.length), [...rest, 0], shape);
  if (!insertionSort(sorted, shape)) [sorted, to] = radixSort(sorted, to, wordNumbers(0, keyWidth), shape);
  let length = 0;
  for (let at = 0; at < sorted.length; at += width) length = appendEntry(to, length, sorted, at, shape);
  return to.subarray(0, trimmedLength(to, length, shape));
}

/** Numbers in [from, to), highest first. */
function wordNumbers(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, i) => to - 1 - i);
}

/**
 * Sorts entries by some of their words. Entries whose words are equal stay in their order.
 * @param spare has the same length as `words`
 * @param wordNumbers numbers of these words in an entry, the least significant word first
 * @returns the sorted entries, in `words` or `spare`, and the other array
 */
function radixSort(
  words: Uint32Array,
  spare: Uint32Array,
  wordNumbers: readonly number[],
  { width }: EntryShape,
): [sorted: Uint32Array, spare: Uint32Array] {
  const bits = words.length < MIN_WORDS_FOR_16_BITS ? 8 : 16;
  const mask = 2 ** bits - 1;
  const starts = new Uint32Array(2 ** bits);
  let [from, to] = [words, spare];
  for (const word of wordNumbers) {
    for (let shift = 0; shift < 32; shift += bits) {
      starts.fill(0);
      for (let at = word; at < from.length; at += width) starts[(from[at] >>> shift) & mask] += width;
      if (starts[(from[word] >>> shift) & mask] === from.length) continue;
      for (let digit = 0, next = 0; digit <= mask; digit++) {
        const length = starts[digit];
        starts[digit] = next;
        next += length;
      }
      for (let at = 0; at < from.length; at += width) {
        const digit = (from[at + word] >>> shift) & mask;
        copyEntry(from, at, to, starts[digit], width);
        starts[digit] += width;
      }
      [from, to] = [to, from];
    }
  }
  return [from, to];
}

/** Sorts entries that are nearly in order. If they are not, stops early and returns false. */
function insertionSort(words: Uint32Array, shape: EntryShape): boolean {
  const { width } = shape;
  const entry = new Uint32Array(width);
  let movesLeft = words.length / width;
  for (let at = width; at < words.length; at += width) {
    if (compareEntries(words, at - width, words, at, shape) <= 0) continue;
    copyEntry(words, at, entry, 0, width);
    let hole = at;
    for (; hole > 0 && compareEntries(words, hole - width, entry, 0, shape) > 0; hole -= width) {
      copyEntry(words, hole - width, words, hole, width);
      movesLeft--;
    }
    copyEntry(entry, 0, words, hole, width);
    if (movesLeft < 0) return false;
  }
  return true;
}

/**
 * Appends an entry, or merges it with the last one if they are equal.
 * @param length current number of words
 * @returns the new number of words; `trimmedLength` removes the last entry if its count is 0
 */
export function appendEntry(
  to: Uint32Array,
  length: number,
  from: Uint32Array,
  at: number,
  shape: EntryShape,
): number {
  const { width, keyWidth } = shape;
  const last = length - width;
  if (length > 0 && compareEntries(from, at, to, last, shape) === 0) {
    if (keyWidth < width) to[last + keyWidth] += from[at + keyWidth];
    return length;
  }
  const end = trimmedLength(to, length, shape);
  copyEntry(from, at, to, end, width);
  return end + width;
}

export function trimmedLength(words: Uint32Array, length: number, { width, keyWidth }: EntryShape): number {
  return length > 0 && keyWidth < width && words[length - 1] === 0 ? length - width : length;
}

function isInChainOrder(words: Uint32Array, shape: EntryShape): boolean {
  if (shape !== placeShape) return false;
  for (let at = ENTRY_WORDS; at < words.length; at += ENTRY_WORDS)
    if ((words[at + 2] - words[at - 2] || words[at + 3] - words[at - 1]) < 0) return false;
  return true;
}

function copyEntry(from: Uint32Array, at: number, to: Uint32Array, start: number, width: number): void {
  for (let i = 0; i < width; i++) to[start + i] = from[at + i];
}
