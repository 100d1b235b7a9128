import { hashString } from "./hash-trie.ts";

/** Maps a key to one of `groups` group names by its hash. */
export function groupOf(key: string, groups: number): string {
  return `group ${(hashString(key) >>> 0) % groups}`;
}
