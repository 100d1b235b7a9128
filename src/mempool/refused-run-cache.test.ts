import { expect, test } from "vitest";
import type { ScriptReport } from "../ledger/scripts/script-verdicts.ts";
import { dev } from "../profiles/index.ts";
import { buildTransaction } from "../testing/build-transaction.ts";
import { rootKeyPair } from "../testing/dev-node.ts";
import { copyTransaction, parseTransaction, transactionBytes } from "../transactions/index.ts";
import { RefusedRunCache } from "./refused-run-cache.ts";

const script = Uint8Array.of(1, 6, 0, 0, 0, 0);

function transfer(timestamp = 1) {
  return buildTransaction({
    type: 15,
    sender: rootKeyPair,
    fee: 100_000_000n,
    timestamp,
    chainId: dev.chainId,
    members: { anchors: [new Uint8Array(32)] },
  });
}

function reportOf(text: string, readsHeight = false): ScriptReport {
  return { outcome: "error", text, vars: [{ name: "a", value: "1" }], readsHeight, work: 1_000_000 };
}

test("finds a run by the bytes of script and transaction, proofs included", () => {
  const runs = new RefusedRunCache({ monotonic: () => 0 });
  const transaction = transfer();
  const report = reportOf("no");
  runs.add({ transaction, script, height: 5 }, report);
  const again = parseTransaction(transactionBytes(transaction), dev);
  expect(runs.get({ transaction: again, script: script.slice(), height: 6 })).toBe(report);
  const [first] = transaction.proofs;
  const other = copyTransaction(transaction, { proofs: [first.slice().fill(0, 0, 1)] });
  expect(runs.get({ transaction: other, script, height: 5 })).toBeUndefined();
  expect(
    runs.get({ transaction, script: Uint8Array.of(2, ...script.subarray(1)), height: 5 }),
  ).toBeUndefined();
});

test("finds a run that read the height at that height only, and none forever", () => {
  let now = 0;
  const runs = new RefusedRunCache({ monotonic: () => now });
  const transaction = transfer();
  runs.add({ transaction, script, height: 5 }, reportOf("no", true));
  expect(runs.get({ transaction, script, height: 6 })).toBeUndefined();
  expect(runs.get({ transaction, script, height: 5 })).toBeDefined();
  now = 600_000;
  expect(runs.get({ transaction, script, height: 5 })).toBeUndefined();
});

test("limits the number of runs and the length of their texts: the oldest are evicted", () => {
  const runs = new RefusedRunCache({ monotonic: () => 0 });
  const all = Array.from({ length: 6 }, (_, i) => ({ transaction: transfer(i), script, height: 1 }));
  for (const run of all) runs.add(run, reportOf("x".repeat(1_000_000)));
  expect(all.map((run) => runs.get(run) !== undefined)).toEqual([false, false, false, true, true, true]);
  const [first] = all;
  for (let i = 0; i <= 4_096; i++)
    runs.add({ ...first, script: Uint8Array.of(i >> 8, i & 255) }, reportOf(""));
  const known = (i: number) => runs.get({ ...first, script: Uint8Array.of(i >> 8, i & 255) }) !== undefined;
  expect([0, 1, 4_096].map(known)).toEqual([false, true, true]);
});
