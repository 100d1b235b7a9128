import { printJson } from "../bytes/json.ts";
import type { Writer } from "../storage/kv.ts";
import { type ConfiguredIndex, indexInSteps, type StoredUnit } from "./chain-index.ts";

/**
 * Combines indexes that read each other's rows. All indexes process a transaction, in order, before the next
 * transaction. Page 07 §5.3: "strictly in chain order".
 */
export function compositeIndex(indexes: readonly ConfiguredIndex[]): ConfiguredIndex {
  const configuration = {
    names: indexes.flatMap(({ configuration }) => configuration.names),
    text: printJson(indexes.map(({ configuration }) => configuration.text)),
  };
  return indexInSteps(configuration, function* (writer, unit) {
    if (unit.transactions.length === 0) return;
    const indexers = indexes.map((part) => part.begin?.(writer, unit));
    for (const entry of unit.transactions)
      for (const [i, part] of indexes.entries()) {
        const indexer = indexers[i];
        if (indexer !== undefined) indexer.add(entry);
        else yield* applySteps(part, writer, { ...unit, transactions: [entry] });
      }
    for (const indexer of indexers) indexer?.end();
  });
}

export function* applySteps(index: ConfiguredIndex, writer: Writer, unit: StoredUnit): Generator<void, void> {
  if (index.applyInSteps === undefined) index.apply(writer, unit);
  else yield* index.applyInSteps(writer, unit);
}
