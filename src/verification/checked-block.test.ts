import { expect, test } from "vitest";
import { blockBytes, buildBlock, scanBlock } from "../blocks/block.ts";
import { concatBytes } from "../bytes/compare.ts";
import { secureHash } from "../crypto/hashes.ts";
import { dev } from "../profiles/index.ts";
import type { Expression } from "../script/expression.ts";
import { writeExpression } from "../script/serialization.ts";
import { buildTransaction } from "../testing/build-transaction.ts";
import { keyPairOf } from "../testing/dev-node.ts";
import { parseTransaction, reparseTransaction, transactionBytes } from "../transactions/index.ts";
import { checkedBlock } from "./checked-block.ts";
import { looksCommon } from "./common-form.ts";
import { inlineChecker } from "./testing/inline-checker.ts";
import { VerificationBatch } from "./verification-batch.ts";

const sender = keyPairOf("scripts");

/** A transaction that sets a script with the cost of `count` hashes and a little more. */
function setScript(hashes: number): Uint8Array {
  let expression: Expression = { kind: "boolean", value: true };
  for (let i = 0; i < hashes; i++)
    expression = { kind: "call", header: { kind: "native", id: 501 }, arguments: [expression] };
  const content = concatBytes(Uint8Array.of(1), writeExpression(expression));
  const script = concatBytes(content, secureHash(content).subarray(0, 4));
  const plan = {
    type: 13,
    sender,
    fee: 100_000_000n,
    timestamp: 1,
    chainId: dev.chainId,
    members: { script },
  };
  return transactionBytes(buildTransaction(plan));
}

const fair = setScript(150);
const tooCostly = setScript(250);
const refusal = "ScriptParseError(Script is too complex: 2501 > 2000)";

test("estimates a script when it is first parsed, and never again", () => {
  expect(() => parseTransaction(tooCostly, dev)).toThrow(refusal);
  expect(parseTransaction(fair, dev).type).toBe(13);
  expect(reparseTransaction(tooCostly, dev).type).toBe(13);
});

test("the checkers parse scripts that are set, and the writer does not estimate valid ones again", async () => {
  expect(looksCommon(fair)).toBe(false);
  expect(looksCommon(tooCostly)).toBe(false);
  const batch = VerificationBatch.create({ bytes: 100_000, blocks: 1, transactions: 2 });
  batch.clear();
  batch.addTransaction(fair);
  batch.addTransaction(tooCostly);
  expect(batch.isParsed(0)).toBe(false);
  expect(batch.isParsed(1)).toBe(false);
  await inlineChecker(dev).check(batch, 0);
  expect(batch.isParsed(0)).toBe(true);
  expect(batch.isParsed(1)).toBe(false);
});

test("the writer estimates what no checker found valid", async () => {
  const transaction = reparseTransaction(tooCostly, dev);
  const bytes = blockBytes(
    buildBlock(
      {
        version: 3,
        timestamp: 1n,
        reference: new Uint8Array(64),
        baseTarget: 1n,
        generationSignature: new Uint8Array(32),
        transactions: [transaction],
        features: [],
        feeVote: 0,
      },
      sender,
    ),
  );
  const scan = scanBlock(bytes);
  const batch = VerificationBatch.create({ bytes: bytes.length, blocks: 1, transactions: 1 });
  batch.clear();
  batch.addBlock(bytes, scan);
  expect(checkedBlock(batch, 0, { bytes, scan }, dev)).toEqual({ ok: false, error: refusal });
  await inlineChecker(dev).check(batch, 0);
  expect(checkedBlock(batch, 0, { bytes, scan }, dev)).toEqual({ ok: false, error: refusal });
});
