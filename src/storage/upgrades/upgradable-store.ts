import type { WriteBatch } from "../batch/write-batch.ts";
import type { Reader } from "../kv.ts";

/** What an upgrade step needs of a store. */
export interface UpgradableStore extends Reader {
  write<T>(writing: (batch: WriteBatch) => T): T;
}
