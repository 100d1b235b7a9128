import { expect, test } from "vitest";
import { compileScript, ScriptWork, scriptJson } from "../../script/index.ts";
import { parseTransaction, transactionBytes } from "../../transactions/index.ts";
import { eraAt } from "../era.ts";
import { Refusal } from "../refusal.ts";
import { SCENARIO_CHAIN_ID } from "../testing/scenario-world.ts";
import { type Draft, SmallChain } from "../testing/small-chain.ts";
import { type Outcome, validateTransaction } from "../validate.ts";

const transfer: Draft = { type: "transfer", recipient: "bob", amount: "1" };

/** Judges a transaction of an account with a script; without `maxPerRun` as in a block. */
function scripted(source: string) {
  const chain = new SmallChain();
  const compiled = compileScript(source);
  if (!compiled.ok) throw new Error(compiled.error);
  chain.key("miner", [{ type: "setScript", script: scriptJson(compiled.value) }]);
  const made = chain.transaction(transfer);
  const judge = (transaction = made, work?: ScriptWork, ahead = 1): Outcome | Refusal => {
    const height = chain.ledger.height + 1;
    const context = {
      era: eraAt(chain.ledger, chain.rules, chain.ledger.height + ahead),
      blockTimestamp: BigInt(chain.timeOf(height)),
      parentTimestamp: BigInt(chain.timeOf(height - 1)),
      verdicts: () => true,
      work,
    };
    return validateTransaction(chain.ledger, transaction, context);
  };
  return { made, judge };
}

test("an allowed run is not repeated, unless the script read another height", () => {
  const { judge } = scripted("tx.fee > 0");
  const work = new ScriptWork();
  expect(judge(undefined, work)).not.toBeInstanceOf(Refusal);
  const { used } = work;
  expect(used).toBeGreaterThan(0);
  judge(undefined, work, 2);
  expect(work.used).toBe(used);

  const other = scripted("tx.fee > 0 && height > 0");
  const ofOther = new ScriptWork();
  other.judge(undefined, ofOther);
  const once = ofOther.used;
  other.judge(undefined, ofOther);
  expect(ofOther.used).toBe(once);
  other.judge(undefined, ofOther, 2);
  expect(ofOther.used).toBeGreaterThan(once);
});

test("a refused run is repeated, and so is a run with other proofs", () => {
  const { judge } = scripted("height > 1000");
  const work = new ScriptWork();
  judge(undefined, work);
  const { used } = work;
  judge(undefined, work);
  expect(work.used).toBe(2 * used);

  const allowing = scripted("tx.fee > 0");
  const first = new ScriptWork();
  allowing.judge(undefined, first);
  const network = { chainId: SCENARIO_CHAIN_ID, payment: true };
  const again = parseTransaction(transactionBytes(allowing.made), network);
  const second = new ScriptWork();
  allowing.judge(again, second);
  expect(second.used).toBe(first.used);
});

test("a script with too much work is refused by the pool, but judged in a block", () => {
  const doubled = Array.from({ length: 11 }, (_, i) => `let m${i + 1} = m${i} + m${i}`);
  const hashes = Array.from({ length: 40 }, (_, i) => `size(keccak256(drop(m11, ${i}))) == 32`);
  const { judge } = scripted(["let m0 = tx.id", ...doubled, hashes.join(" && ")].join("\n"));
  const refusal = judge(undefined, new ScriptWork(4_000_000));
  if (!(refusal instanceof Refusal)) throw new Error("it was accepted");
  expect(refusal.kind).toBe("ScriptExecutionError");
  expect(refusal.args).toEqual(["Script exceeds this node's work limit for a transaction"]);
  expect(refusal.script?.vars).toEqual([]);
  expect(judge()).not.toBeInstanceOf(Refusal);
});
