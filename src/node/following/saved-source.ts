import type { SourceDescription } from "../../interfaces.ts";
import type { Store } from "../../storage/store.ts";
import { tables } from "../../storage/tables.ts";
import { descriptionJson, parseDescription } from "../../units/description.ts";
import { UnitSourceError } from "../../units/source-error.ts";

/** Row with the source followed last. */
const KEY = "source";

export function readSavedSource(store: Pick<Store, "read">): SourceDescription | undefined {
  const bytes = store.read((reader) => reader.get(tables.meta, KEY));
  if (bytes === undefined) return undefined;
  try {
    return parseDescription(JSON.parse(Buffer.from(bytes).toString("utf8")), "in the store");
  } catch (error) {
    // Another version of the program wrote the row.
    if (error instanceof UnitSourceError) return undefined;
    throw error;
  }
}

/** @throws DiskError */
export function saveSource(store: Pick<Store, "write">, description: SourceDescription): void {
  const text = JSON.stringify(descriptionJson(description));
  store.write((batch) => batch.put(tables.meta, KEY, Buffer.from(text)));
}
