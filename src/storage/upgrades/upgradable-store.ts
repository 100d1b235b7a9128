import type { WriteBatch } from "../batch/write-batch.ts";
import type { Reader } from "../kv.ts";

export interface UpgradableStore extends Reader {
  write<T>(writing: (batch: WriteBatch) => T): T;
}

/** Limits of one commit, which may exceed them by a block or unit. */
export interface UpgradeLimits {
  readonly rows: number;
  readonly units: number;
  readonly events: number;
}
