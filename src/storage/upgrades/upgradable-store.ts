import type { WriteBatch } from "../batch/write-batch.ts";
import type { Reader } from "../kv.ts";

export interface UpgradableStore extends Reader {
  write<T>(writing: (batch: WriteBatch) => T): T;
}
