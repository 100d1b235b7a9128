import { Feature } from "../../profiles/features.ts";
import { DATA_ENTRY, DATA_TRANSACTION } from "../../script/values/object-types.ts";
import { ObjectValue } from "../../script/values/values.ts";
import type { TransactionBase } from "../base.ts";
import { entriesFit, feePositive, keyTypeNeedsVersion3, sponsorNeedsVersion3 } from "../checks.ts";
import { type DataEntry, MAX_ENTRIES } from "../data-entry.ts";
import { defineTransaction, since, until } from "../define.ts";
import { entries } from "../fields.ts";
import { fee, modern, senderKey, standard, timestamp } from "../layout.ts";

/** Sets entries on the sender's account. Page 02 §10.6. */
export interface DataTransaction extends TransactionBase {
  readonly type: 12;
  readonly data: readonly DataEntry[];
}

const MAX_BYTES = 10 * 1024;

export const data = defineTransaction<DataTransaction>({
  type: 12,
  name: "data",
  className: "Data",
  versions: { 1: until(Feature.SmartAccounts), 3: since(Feature.CobaltAlloy) },
  fields: { data: entries(MAX_ENTRIES) },
  layouts: {
    1: modern(senderKey, "data", timestamp, fee),
    3: standard("data"),
  },
  groups: ["data"],
  entries: (tx) => tx.data,
  script: {
    objectType: DATA_TRANSACTION,
    ownValues: (tx) => [tx.data.map(({ key, value }) => new ObjectValue(DATA_ENTRY, [key, value]))],
  },
  checks: [
    ...entriesFit({ emptyKey: "Empty key found", sameKeys: "Duplicate keys found" }, MAX_BYTES),
    feePositive,
    sponsorNeedsVersion3,
    keyTypeNeedsVersion3,
  ],
});
