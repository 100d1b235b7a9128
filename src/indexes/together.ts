import { printJson } from "../bytes/json.ts";
import type { ConfiguredIndex } from "./index.ts";

/**
 * One index of several of which one reads what another one writes: each transaction is entered into all of them,
 * in their order, before the next transaction is. Page 07 §5.3: "strictly in chain order".
 */
export function together(parts: readonly ConfiguredIndex[]): ConfiguredIndex {
  return {
    name: parts.map(({ name }) => name).join(", "),
    configuration: {
      text: printJson(parts.map(({ configuration }) => configuration.text)),
      tables: parts.flatMap(({ configuration }) => configuration.tables),
    },
    apply(writer, unit) {
      for (const transaction of unit.transactions) {
        const single = { ...unit, transactions: [transaction] };
        for (const part of parts) part.apply(writer, single);
      }
    },
  };
}
