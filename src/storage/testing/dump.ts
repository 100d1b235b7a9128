import { encodeHex } from "../../bytes/hex.ts";
import { allTables } from "../batch/write-batch.ts";
import { allCounts } from "../counters.ts";
import type { Reader } from "../kv.ts";
import { counters } from "../tables.ts";

/**
 * Returns every journaled row and the numbers of every counter, as text `table key value` in hex, in order. Stores
 * with equal lists are identical for every reader.
 */
export function journaledRows(reader: Reader): string[] {
  const rows: string[] = [];
  for (const table of allTables) {
    if (!table.journaled) continue;
    for (const [key, value] of reader.scan(table, {})) {
      rows.push(`${table.name} ${encodeHex(key)} ${encodeHex(table.value.encode(value))}`);
    }
  }
  for (const counter of Object.values(counters))
    for (const { key, label, count } of allCounts(reader, counter))
      rows.push(`${counter.name} ${encodeHex(key)} ${label} ${count}`);
  return rows;
}
