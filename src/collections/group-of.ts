import { hashString } from "./hash-trie.ts";

/** Assigns a key to one of `groups` groups by its hash. */
export function groupOf(key: string, groups: number): string {
  return `group ${(hashString(key) >>> 0) % groups}`;
}
