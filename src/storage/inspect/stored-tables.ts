import { encodeHex } from "../../bytes/hex.ts";
import type { AnyTable } from "../batch/overlay.ts";

export class StoredTables {
  readonly #tables: ReadonlyMap<number, AnyTable>;

  constructor(tables: readonly AnyTable[]) {
    this.#tables = new Map(tables.map((table) => [table.prefix, table]));
  }

  /** @param key of a stored row, with its prefix */
  of(key: Uint8Array): AnyTable | undefined {
    return this.#tables.get(key[0]);
  }

  /** Returns the table's name, or the prefix of the key if no table has it. */
  nameOf(key: Uint8Array): string {
    return this.of(key)?.name ?? `0x${encodeHex(key.subarray(0, 1))}`;
  }
}
