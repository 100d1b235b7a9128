import { hashString } from "./hash-trie.ts";

/** Returns the name of one of `groups` groups, which follows from the key: keys without a place of their own share one. */
export function groupOf(key: string, groups: number): string {
  return `group ${(hashString(key) >>> 0) % groups}`;
}
