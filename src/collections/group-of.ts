import { hashString } from "./hash-trie.ts";

/** Returns the label of the group to which a key's hash belongs. */
export function groupOf(key: string, groupCount: number): string {
  return `group ${(hashString(key) >>> 0) % groupCount}`;
}
