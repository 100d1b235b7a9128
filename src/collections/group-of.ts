import { hashString } from "./hash-trie.ts";

/** Assigns a key to one of `groupCount` groups by its hash, and returns the group's label. */
export function groupOf(key: string, groupCount: number): string {
  return `group ${(hashString(key) >>> 0) % groupCount}`;
}
