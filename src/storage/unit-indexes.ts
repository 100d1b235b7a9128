/** The look-ups whose rows are units (`unit-index.ts`). */
import { entryIndexes, tables } from "./tables.ts";
import { addressTag, type UnitIndex } from "./unit-index.ts";

export const unitIndexes = {
  /** address -> its transactions, unit by unit: `ListedTransactionsWriter` */
  addressTransactions: {
    entries: entryIndexes.addressTransactions,
    table: tables.addressTransactions,
    tag: addressTag,
  },
} as const satisfies Record<string, UnitIndex>;
