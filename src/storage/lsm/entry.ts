/** Entries as words (u32): tag, tag, height, position. */
import { getU32, putU32 } from "../codecs.ts";

/** Words of an entry. */
export const WIDTH = 4;
/** The same in bytes. */
export const ENTRY_BYTES = 16;

/** Big-endian bytes of words. */
export function bytesOf(words: Uint32Array): Uint8Array {
  const bytes = new Uint8Array(words.length * 4);
  for (let i = 0; i < words.length; i++) putU32(bytes, i * 4, words[i]);
  return bytes;
}

/** Words of big-endian bytes, of which there are four for each. */
export function wordsOf(bytes: Uint8Array): Uint32Array {
  const words = new Uint32Array(bytes.length / 4);
  for (let i = 0; i < words.length; i++) words[i] = getU32(bytes, i * 4);
  return words;
}

/** Order of two entries, each at a place of its words: negative when `a` comes before `b`. */
export function compareEntries(a: Uint32Array, atA: number, b: Uint32Array, atB: number): number {
  for (let i = 0; i < WIDTH; i++) {
    const difference = a[atA + i] - b[atB + i];
    if (difference !== 0) return difference;
  }
  return 0;
}

/** The entries in order, each once: a radix sort, byte by byte from the last to the first. */
export function sortEntries(words: Uint32Array): Uint32Array {
  let from = words;
  let to: Uint32Array = new Uint32Array(words.length);
  let spare: Uint32Array | undefined;
  const starts = new Uint32Array(256);
  // Entries come in the order of the chain as a rule, and then only their tags are left to sort by.
  for (let word = inChainOrder(words) ? 1 : WIDTH - 1; word >= 0; word--) {
    for (let shift = 0; shift < 32; shift += 8) {
      starts.fill(0);
      for (let at = word; at < words.length; at += WIDTH) starts[(words[at] >>> shift) & 0xff] += WIDTH;
      if (starts[(words[word] >>> shift) & 0xff] === words.length) continue;
      for (let byte = 0, next = 0; byte < 256; byte++) {
        const length = starts[byte];
        starts[byte] = next;
        next += length;
      }
      for (let at = 0; at < from.length; at += WIDTH) {
        const byte = (from[at + word] >>> shift) & 0xff;
        copyEntry(from, at, to, starts[byte]);
        starts[byte] += WIDTH;
      }
      // The given words stay as they are.
      spare ??= new Uint32Array(words.length);
      const sorted = to;
      to = from === words ? spare : from;
      from = sorted;
    }
  }
  let length = 0;
  for (let at = 0; at < from.length; at += WIDTH) {
    if (length > 0 && compareEntries(from, at, to, length - WIDTH) === 0) continue;
    copyEntry(from, at, to, length);
    length += WIDTH;
  }
  return to.subarray(0, length);
}

function inChainOrder(words: Uint32Array): boolean {
  for (let at = WIDTH; at < words.length; at += WIDTH)
    if ((words[at + 2] - words[at - 2] || words[at + 3] - words[at - 1]) < 0) return false;
  return true;
}

/** Copies the entry at `at` to `start`. */
export function copyEntry(from: Uint32Array, at: number, to: Uint32Array, start: number): void {
  to[start] = from[at];
  to[start + 1] = from[at + 1];
  to[start + 2] = from[at + 2];
  to[start + 3] = from[at + 3];
}
