import { indexNames } from "../../indexes/all.ts";
import { Queries } from "../../indexes/query-source.ts";
import type { IndexName, IndexProgress, IndexQueries } from "../../interfaces.ts";
import { indexProgress } from "../reading/index-states.ts";
import type { SnapshotSource } from "./source.ts";

export class StoredIndexQueries extends Queries<SnapshotSource> implements IndexQueries {
  progress(): readonly IndexProgress[] {
    return indexNames.map((name) => this.#progressOf(name));
  }

  unready(names: readonly IndexName[]): IndexProgress | undefined {
    for (const name of names) {
      if (this.source.isComplete(name)) continue;
      const progress = this.#progressOf(name);
      if (progress.isEnabled) return progress;
    }
    return undefined;
  }

  #progressOf(name: IndexName): IndexProgress {
    return indexProgress(name, this.source.indexState(name), this.source.ledger.height);
  }
}
