import type { ApiInfo } from "../../api/info.ts";
import type { ReaderContext } from "../../indexes/query-source.ts";
import { openStore, type Store } from "../../storage/store.ts";

export interface ReadOnlySource {
  readonly directory: string;
  readonly network: string;
  readonly context: ReaderContext;
  readonly info: ApiInfo;
  /** `Store.commits.shared` of the store that writes to `directory`. */
  readonly commits?: SharedArrayBuffer | undefined;
}

/** @throws what `openStore` throws */
export async function openReadOnly({ directory, network, context, commits }: ReadOnlySource): Promise<{
  readonly store: Store;
  readonly context: ReaderContext;
  close(): Promise<void>;
}> {
  const store = await openStore(directory, { network, readOnly: true, commits });
  return { store, context, close: () => store.close() };
}
