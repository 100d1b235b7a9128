/** A type of transaction that no network has, added as docs/develop.md describes. */
import type { Edit } from "./source-copy.ts";

/** Above 64, and the first number with its own group. */
export const GREETING = 100;

const definitionFile = `
import { ADDRESS, transactionType } from "../../script/values/object-types.ts";
import { addressValue } from "../../script/values/transaction-value.ts";
import { BYTES } from "../../script/values/types.ts";
import type { TransactionBase } from "../base.ts";
import { feePositive, notToSelf, rule } from "../checks.ts";
import { always, defineTransaction } from "../define.ts";
import { tooBigArray, toSelf } from "../errors.ts";
import { address, bytes } from "../fields.ts";
import { standard } from "../layout.ts";

/** Greeting: a few words for another account, and a public hash of them. */
export interface GreetingTransaction extends TransactionBase {
  readonly type: ${GREETING};
  readonly recipient: Uint8Array;
  readonly words: Uint8Array;
}

const MAX_WORDS = 64;

export const greeting = defineTransaction<GreetingTransaction>({
  type: ${GREETING},
  name: "greeting",
  className: "Greeting",
  versions: { 3: always },
  fields: { recipient: address, words: bytes(MAX_WORDS) },
  layouts: { 3: standard("recipient", "words") },
  portfolio: true,
  groups: ["greeting"],
  anchors: (tx) => [tx.words],
  script: {
    objectType: transactionType("GreetingTransaction", ["recipient", ADDRESS], ["words", BYTES]),
    ownValues: (tx) => [addressValue(tx.recipient), tx.words],
  },
  checks: [rule((tx) => tx.words.length <= MAX_WORDS, tooBigArray), notToSelf(toSelf), feePositive],
});
`;

const ruleFile = `
import type { GreetingTransaction } from "../../transactions/types/greeting.ts";
import { Deltas } from "../account.ts";
import { effect } from "../effect.ts";
import { genericError } from "../refusal.ts";
import { fixedFee, type TransactionRule } from "../transaction-rule.ts";

/** Greeting: the recipient gets one unit of the sender, so that the effect is visible. */
export const greetingRule: TransactionRule<GreetingTransaction> = {
  fees: { 5: fixedFee(1_000n) },
  effect(_view, tx) {
    if (tx.words.length === 0) return genericError("Nothing was said");
    return effect(new Deltas().add(tx.senderAddress, -1n).add(tx.recipient, 1n));
  },
  sentAmount: () => 1n,
};
`;

/** Two files, and the lines in the two registries. */
export const greetingEdits: readonly Edit[] = [
  { file: "src/transactions/types/greeting.ts", content: definitionFile },
  {
    file: "src/transactions/registry.ts",
    before: 'import { type TransferTransaction, transfer } from "./types/transfer.ts";',
    lines: 'import { type GreetingTransaction, greeting } from "./types/greeting.ts";\n',
  },
  {
    file: "src/transactions/registry.ts",
    before: "  | CertificateTransaction;",
    lines: "  | GreetingTransaction\n",
  },
  { file: "src/transactions/registry.ts", before: "  certificate,\n];", lines: "  greeting,\n" },
  { file: "src/ledger/rules/greeting.ts", content: ruleFile },
  {
    file: "src/ledger/registry.ts",
    before: 'import type { TransactionRule } from "./transaction-rule.ts";',
    lines: 'import { greetingRule } from "./rules/greeting.ts";\n',
  },
  {
    file: "src/ledger/registry.ts",
    before: "  24: certificateRule,",
    lines: `  ${GREETING}: greetingRule,\n`,
  },
];
