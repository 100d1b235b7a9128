/** The compiled threads that check signatures. */
import { afterAll, expect, test } from "vitest";
import { addressOf } from "../src/crypto/addresses.ts";
import { cachedReportOf, runReport } from "../src/ledger/scripts/script-verdicts.ts";
import { verifyProofOnce } from "../src/ledger/verdicts.ts";
import { dev } from "../src/profiles/index.ts";
import { CHECKER_NICENESS } from "../src/runtime/threads/thread-priority.ts";
import { compileScript } from "../src/script/index.ts";
import { buildTransaction } from "../src/testing/build-transaction.ts";
import { keyPairOf, rootKeyPair } from "../src/testing/dev-node.ts";
import { watchSignatureChecks } from "../src/testing/signature-checks.ts";
import {
  copyTransaction,
  parseTransaction,
  type Transaction,
  transactionBytes,
} from "../src/transactions/index.ts";
import { VerificationBatch } from "../src/verification/verification-batch.ts";
import { threadVerifier } from "../src/verification/verifier.ts";
import { stepsBack } from "./support/thread-priority.ts";

const script = new URL("../dist/verification/checker-thread.js", import.meta.url);
const [alice, bob] = [keyPairOf("alice"), keyPairOf("bob")];
const checks = watchSignatureChecks();
afterAll(() => checks.mockRestore());

/** Transfers of every kind that the threads distinguish. One in three has an invalid signature. */
function transfers(count: number): Transaction[] {
  return Array.from({ length: count }, (_, i) => {
    const made = buildTransaction({
      type: 4,
      version: i % 5 === 0 ? 2 : 3,
      sender: alice,
      sponsor: i % 5 === 1 ? bob : undefined,
      fee: 100_000_000n,
      timestamp: i,
      chainId: dev.chainId,
      members: {
        recipient: addressOf(rootKeyPair.publicKey, dev.chainId),
        amount: 1n,
        attachment: new Uint8Array(0),
      },
    });
    const [first, ...rest] = made.proofs;
    const bad = Uint8Array.from(first);
    bad[0] ^= 1;
    const transaction = i % 3 === 0 ? copyTransaction(made, { proofs: [bad, ...rest] }) : made;
    return parseTransaction(transactionBytes(transaction), dev);
  });
}

test("the threads check every signature with the same verdicts as this thread", async () => {
  const verifier = threadVerifier(dev, 2, { script });
  try {
    const all = transfers(700);
    await Promise.all(all.map((one, i) => verifier.verifyTransactions(`source ${i % 7}`, [one])));
    checks.mockClear();
    const verdicts = all.map((one) => verifyProofOnce(one, 0, one.sender));
    expect(verdicts).toEqual(all.map((_, i) => i % 3 !== 0));
    for (const one of all)
      if (one.sponsor !== undefined) expect(verifyProofOnce(one, 1, one.sponsor)).toBe(true);
    expect(checks).not.toHaveBeenCalled();
  } finally {
    await verifier.close();
  }
});

test("the threads run at a lower priority than threads that serve clients, where the system supports it", async () => {
  for (const servesClients of [false, true]) {
    const verifier = threadVerifier(dev, 1, { script, servesClients });
    try {
      await verifier.verifyTransactions("api", transfers(3));
      expect(stepsBack()).toEqual(servesClients && process.platform === "linux" ? [CHECKER_NICENESS] : []);
    } finally {
      await verifier.close();
    }
  }
});

test("the threads answer a request while they check a long stream", async () => {
  const verifier = threadVerifier(dev, 1, { script });
  try {
    // Everything is started and loaded now.
    await verifier.verifyTransactions("api", transfers(6));
    const stream = verifier.stream();
    const [one] = transfers(3).slice(2);
    const bytes = transactionBytes(one);
    const ended: string[] = [];
    const batches = Array.from({ length: 3 }, async (_, i) => {
      const batch = VerificationBatch.create({ bytes: 2_000 * bytes.length, blocks: 1, transactions: 2_000 });
      batch.clear();
      while (batch.addTransaction(bytes));
      await stream.check(batch);
      ended.push(`stream ${i}`);
    });
    await verifier.verifyTransactions("api", transfers(1));
    ended.push("request");
    await Promise.all(batches);
    expect(ended).toEqual(["request", "stream 0", "stream 1", "stream 2"]);
  } finally {
    await verifier.close();
  }
});

test("the threads run scripts with the same verdicts as this thread", async () => {
  const verifier = threadVerifier(dev, 2, { script });
  const compiled = compileScript("height > 5 || sigVerify(tx.bodyBytes, tx.proofs[0], tx.senderPublicKey)");
  if (!compiled.ok) throw new Error(compiled.error);
  const { bytes } = compiled.value;
  try {
    const runs = transfers(60).map((transaction, i) => ({ transaction, script: bytes, height: 4 + (i % 3) }));
    await verifier.runScripts(
      "api",
      runs.map((run, i) => ({ run, includesVars: i % 2 === 0, allowance: () => 10_000_000 })),
    );
    const limits = { chainId: dev.chainId, allowance: 10_000_000 };
    for (const [i, run] of runs.entries()) {
      const { outcome, text, vars } = runReport(run, { ...limits, includesVars: i % 2 === 0 });
      expect(cachedReportOf(run, limits)).toEqual({ outcome, text, vars });
    }
    expect(new Set(runs.map((run) => cachedReportOf(run, limits)?.outcome))).toEqual(
      new Set(["allowed", "refused"]),
    );
  } finally {
    await verifier.close();
  }
});
