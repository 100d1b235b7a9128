import { hashString } from "./hash-trie.ts";

export function groupOf(key: string, groupCount: number): string {
  return `group ${(hashString(key) >>> 0) % groupCount}`;
}
