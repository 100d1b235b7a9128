import { encodeHex } from "../../bytes/hex.ts";
import type { AnyTable } from "../batch/overlay.ts";

export class StoredTables {
  readonly #tables: ReadonlyMap<number, AnyTable>;

  constructor(tables: readonly AnyTable[]) {
    this.#tables = new Map(tables.map((table) => [table.prefix, table]));
  }

  tableOf(key: Uint8Array): AnyTable | undefined {
    return this.#tables.get(key[0]);
  }

  nameOf(key: Uint8Array): string {
    return this.tableOf(key)?.name ?? `0x${encodeHex(key.subarray(0, 1))}`;
  }
}
