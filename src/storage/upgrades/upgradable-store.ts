import type { Reader } from "../kv.ts";
import type { WriteBatch } from "../write-batch.ts";

/** What is needed of a store to bring it to a newer format. */
export interface Upgraded extends Reader {
  write<T>(writing: (batch: WriteBatch) => T): T;
}
