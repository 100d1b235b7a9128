import { hashString } from "./hash-trie.ts";

/** Assigns a key to a group by its hash. */
export function groupOf(key: string, groupCount: number): string {
  return `group ${(hashString(key) >>> 0) % groupCount}`;
}
