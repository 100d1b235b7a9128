import { decodeBase58, encodeBase58 } from "../../bytes/base58.ts";
import type { SourceDescription } from "../../interfaces.ts";
import type { Store } from "../../storage/store.ts";
import { tables } from "../../storage/tables.ts";

/** Row of the store with the source that the node followed last. */
const KEY = "source";

const MAX_ID_LENGTH = 200;

export function readSavedSource(store: Pick<Store, "read">): SourceDescription | undefined {
  const bytes = store.read((reader) => reader.get(tables.meta, KEY));
  if (bytes === undefined) return undefined;
  // This program wrote the row.
  const saved = JSON.parse(Buffer.from(bytes).toString("utf8"));
  return {
    ...saved,
    network: { ...saved.network, genesis: decodeBase58(saved.network.genesis, MAX_ID_LENGTH) },
    trustRoot: saved.trustRoot === null ? undefined : decodeBase58(saved.trustRoot, MAX_ID_LENGTH),
  } as SourceDescription;
}

/** @throws DiskError */
export function saveSource(store: Pick<Store, "write">, description: SourceDescription): void {
  const { network, trustRoot } = description;
  const text = JSON.stringify({
    ...description,
    network: { ...network, genesis: encodeBase58(network.genesis) },
    trustRoot: trustRoot === undefined ? null : encodeBase58(trustRoot),
  });
  store.write((batch) => batch.put(tables.meta, KEY, Buffer.from(text)));
}
