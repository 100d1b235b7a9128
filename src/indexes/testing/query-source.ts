import { dev } from "../../profiles/index.ts";
import type { Reader } from "../../storage/kv.ts";
import { StoredLedgerView } from "../../storage/ledger/ledger-view.ts";
import type { QuerySource } from "../query-source.ts";
import type { TrustSettings } from "../trust/settings.ts";

/** A query source for tests of the indexes alone: every index is complete. */
export function sourceOf(
  reader: Reader,
  trust: TrustSettings = { network: new Map(), root: undefined },
): QuerySource {
  const { chainId, functionality } = dev;
  const rules = { chainId, functionality, maxTransactionsInMicroBlock: 255 };
  return {
    reader,
    ledger: new StoredLedgerView(reader),
    context: { profile: dev, rules, indexAll: true, trust },
    isComplete: () => true,
    rows: () => reader,
    transactionAt: () => undefined,
  };
}
