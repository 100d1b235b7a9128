/** The pool's limits for accounts with scripts. */
import { expect, test } from "vitest";
import { errorMessage } from "../ledger/refusal.ts";
import { dev } from "../profiles/index.ts";
import { buildTransaction } from "../testing/build-transaction.ts";
import { rootKeyPair } from "../testing/dev-node.ts";
import type { AdmissionResult } from "./admission.ts";
import { hashes, nodeWith, ownerAddress, poolBeside, transfer } from "./testing/scripted-account.ts";

const { chainId } = dev;
const LTO = 100_000_000n;
const MILLISECOND = 1_000_000;

function textOf(admission: AdmissionResult): string {
  if (admission.ok) throw new Error("not refused");
  return errorMessage(admission.error);
}

test("refuses a script above the pool's limit, and throttles its account after some", () => {
  const node = nodeWith(`${hashes(40)}\nwork || height > 0`);
  const tooMuch =
    "Error while executing account-script: Script exceeds this node's work limit for a transaction";
  const waits = "The sender's script refused costly transactions: try again later";
  const texts = Array.from({ length: 8 }, () => textOf(node.pool.add(transfer(node))));
  expect(new Set(texts)).toEqual(new Set([tooMuch, waits]));
  expect(texts.filter((text) => text === tooMuch)).toHaveLength(5);
  expect(texts.at(-1)).toBe(waits);
  // Other accounts do not wait, and it does not wait forever.
  const attachment = new Uint8Array(0);
  const members = { recipient: ownerAddress, amount: LTO, attachment };
  const timestamp = node.clock.now();
  const ofRoot = buildTransaction({ type: 4, sender: rootKeyPair, fee: LTO, timestamp, chainId, members });
  expect(node.pool.add(ofRoot)).toEqual({ ok: true, value: { added: true } });
  node.clock.advance(20_000);
  expect(textOf(node.pool.add(transfer(node)))).toBe(tooMuch);
});

test("drops transactions whose scripts refuse them from a height on, over several packings", () => {
  const node = nodeWith(`${hashes(10)}\nwork && height <= 5`);
  const pool = poolBeside(node);
  for (let i = 0; i < 30; i++) expect(pool.add(transfer(node))).toEqual({ ok: true, value: { added: true } });
  while (node.chain.tip.height <= 5) node.clock.advance(1_000);
  const capacity = { size: 1_000_000, scripts: 100, transactions: 255 };
  const sizes = Array.from({ length: 6 }, () => {
    expect(pool.pack({ capacity, maxWork: 20 * MILLISECOND }).transactions).toEqual([]);
    return pool.size;
  });
  // Half of the work is for second judgements, which are not needed here: 10 ms are five scripts.
  expect(sizes).toEqual([25, 20, 15, 10, 5, 0]);
});

test("a script that allows a transaction at any height costs packing nothing", () => {
  const node = nodeWith(`${hashes(10)}\nwork`);
  const pool = poolBeside(node);
  for (let i = 0; i < 30; i++) expect(pool.add(transfer(node))).toEqual({ ok: true, value: { added: true } });
  const capacity = { size: 1_000_000, scripts: 100, transactions: 255 };
  expect(pool.pack({ capacity, maxWork: 2 * MILLISECOND }).transactions).toHaveLength(30);
});
