import { Feature } from "../../profiles/features.ts";
import type { TransactionBase } from "../base.ts";
import { entriesFit, feePositive, MAX_SUBJECT_LENGTH, subjectFits } from "../checks.ts";
import { type DataEntry, MAX_ENTRIES } from "../data-entry.ts";
import { commonJson, defineTransaction, since } from "../define.ts";
import { int64, optionalAddress, optionalBytes, optionalEntries } from "../fields.ts";
import { standard } from "../layout.ts";

/** States something, optionally about another account. Page 02 §10.16. */
export interface StatementTransaction extends TransactionBase {
  readonly type: 23;
  readonly statementType: bigint;
  readonly recipient?: Uint8Array;
  /** 1 to 256 bytes. */
  readonly subject?: Uint8Array;
  readonly data: readonly DataEntry[];
}

const MAX_BYTES = 150 * 1024;

export const statement = defineTransaction<StatementTransaction>({
  type: 23,
  name: "statement",
  className: "Statement",
  versions: { 3: since(Feature.Titanium) },
  fields: {
    statementType: int64,
    recipient: optionalAddress,
    subject: optionalBytes(MAX_SUBJECT_LENGTH),
    data: optionalEntries(MAX_ENTRIES),
  },
  layouts: { 3: standard("statementType", "recipient", "subject", "data") },
  // Some members follow the proofs.
  json: [...commonJson("statementType"), "recipient", "subject", "data"],
  groups: ["statement"],
  statement: (tx) => tx,
  checks: [
    subjectFits,
    ...entriesFit(
      { emptyKey: "Empty key found in data", sameKeys: "Duplicate keys found in data" },
      MAX_BYTES,
    ),
    feePositive,
  ],
});
