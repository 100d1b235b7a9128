import { printJson } from "../bytes/json.ts";
import type { Writer } from "../storage/kv.ts";
import type { ConfiguredIndex, StoredUnit, UnitWork } from "./chain-index.ts";

/**
 * One index of several of which one reads what another one writes: each transaction is given to all of them,
 * in their order, before the next one is. Page 07 §5.3: "strictly in chain order".
 */
export function compositeIndex(indexes: readonly ConfiguredIndex[]): ConfiguredIndex {
  return {
    configuration: {
      names: indexes.flatMap(({ configuration }) => configuration.names),
      text: printJson(indexes.map(({ configuration }) => configuration.text)),
    },
    apply(writer, unit) {
      const works = indexes.map((part) => part.begin?.(writer, unit) ?? oneByOne(part, writer, unit));
      for (const transaction of unit.transactions) for (const work of works) work.add(transaction);
      for (const work of works) work.end();
    },
  };
}

/** For an index whose rows are those of single transactions. */
function oneByOne(index: ConfiguredIndex, writer: Writer, unit: StoredUnit): UnitWork {
  return {
    add: (transaction) => index.apply(writer, { ...unit, transactions: [transaction] }),
    end: () => {},
  };
}
