/** A type of transaction that no network has, as somebody who follows docs/develop.md would add it. */
import { cpSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Above 64, and the first with a group of its own. */
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

/** Greeting: a few words for another account, and a hash of them for everybody. */
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
import { fixed, type Rule } from "../transaction-rule.ts";

/** Greeting: the recipient gets one unit of the sender, to be seen. */
export const greetingRule: Rule<GreetingTransaction> = {
  fees: { 5: fixed(1_000n) },
  effect(_view, tx) {
    if (tx.words.length === 0) return genericError("Nothing was said");
    return effect(new Deltas().add(tx.senderAddress, -1n).add(tx.recipient, 1n));
  },
  sends: () => 1n,
};
`;

/** Inserts lines into a file before the only place where `before` stands. */
function insert(file: string, before: string, lines: string): void {
  const text = readFileSync(file, "utf8");
  if (text.split(before).length !== 2) throw new Error(`${file} must have one place with ${before}`);
  writeFileSync(
    file,
    text.replace(before, () => lines + before),
  );
}

/**
 * Copies the sources of a project to a folder and adds the type there: two files, and its lines in the two registries.
 * @returns the folder of the sources
 */
export function sourcesWithGreeting(project: string, folder: string): string {
  const source = join(folder, "src");
  cpSync(join(project, "src"), source, { recursive: true, filter: (path) => !path.endsWith(".test.ts") });
  for (const name of ["package.json", "tsconfig.json", "tsconfig.build.json"])
    cpSync(join(project, name), join(folder, name));
  symlinkSync(join(project, "node_modules"), join(folder, "node_modules"));

  writeFileSync(join(source, "transactions/types/greeting.ts"), definitionFile);
  const types = join(source, "transactions/registry.ts");
  insert(
    types,
    "\n/** Any transaction, told apart",
    'import { type GreetingTransaction, greeting } from "./types/greeting.ts";\n',
  );
  insert(types, "  | CertificateTransaction;", "  | GreetingTransaction\n");
  insert(types, "  certificate,\n];", "  greeting,\n");

  writeFileSync(join(source, "ledger/rules/greeting.ts"), ruleFile);
  const rules = join(source, "ledger/registry.ts");
  insert(
    rules,
    'import type { Rule } from "./transaction-rule.ts";',
    'import { greetingRule } from "./rules/greeting.ts";\n',
  );
  insert(rules, "  24: certificateRule,", `  ${GREETING}: greetingRule,\n`);
  return source;
}
