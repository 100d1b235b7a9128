import { leafProofsOf } from "../../anchoring/leaves.ts";
import type { ApiInfo } from "../../api/info.ts";
import type { ReaderContext } from "../../indexes/query-source.ts";
import { openStore, type Store } from "../../storage/store.ts";

/** What a thread needs to open the stores. It is copied to the thread. */
export interface ReadOnlySource {
  readonly directory: string;
  /** Directory of the anchor trees, if any. */
  readonly anchors: string | undefined;
  readonly network: string;
  readonly context: ReaderContext;
  readonly info: ApiInfo;
  /** `Store.commits.shared` of the store that writes to `directory`. */
  readonly commits?: SharedArrayBuffer | undefined;
}

/** @throws what `openStore` throws */
export async function openReadOnly({
  directory,
  anchors,
  network,
  context,
  commits,
}: ReadOnlySource): Promise<{
  readonly store: Store;
  readonly context: ReaderContext;
  close(): Promise<void>;
}> {
  const store = await openStore(directory, { network, readOnly: true, commits });
  const trees = anchors === undefined ? undefined : await openStore(anchors, { network, readOnly: true });
  return {
    store,
    context: { ...context, leaves: trees && leafProofsOf(trees) },
    async close() {
      await trees?.close();
      await store.close();
    },
  };
}
