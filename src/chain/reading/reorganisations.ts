import type { Reorganisation } from "../../interfaces.ts";
import type { Reader, Writer } from "../../storage/kv.ts";
import { tables } from "../../storage/tables.ts";
import { countedList, fieldValue, lengthPrefixed, struct, varint } from "../../storage/values/fields.ts";

/** A record has at most 42 ids, so the row has at most 280 KB. */
const MAX_REORGANISATIONS = 100;
const KEY = "reorganisations";

const records = fieldValue(
  countedList(
    struct<Reorganisation>({
      timestamp: varint,
      commonHeight: varint,
      oldTip: lengthPrefixed,
      newTip: lengthPrefixed,
      revertedTransactions: varint,
      revertedCount: varint,
      reverted: countedList(lengthPrefixed),
      committedCount: varint,
      committed: countedList(lengthPrefixed),
    }),
  ),
);

/** Newest first. */
export function storedReorganisations(reader: Reader): readonly Reorganisation[] {
  const bytes = reader.get(tables.meta, KEY);
  return bytes === undefined ? [] : records.decode(bytes);
}

export function addReorganisation(writer: Reader & Writer, added: Reorganisation): void {
  const newest = [added, ...storedReorganisations(writer)].slice(0, MAX_REORGANISATIONS);
  writer.put(tables.meta, KEY, records.encode(newest));
}
