import { afterAll, beforeEach, expect, test } from "vitest";
import { buildTransaction } from "../testing/build-transaction.ts";
import { keyPairOf } from "../testing/dev-node.ts";
import { watchSignatureChecks } from "../testing/signature-checks.ts";
import type { Transaction } from "../transactions/index.ts";
import { type Signer, verdictIn, withVerdict } from "./verdict-bits.ts";
import { cacheVerdicts, verifyProofOnce } from "./verdicts.ts";

const checks = watchSignatureChecks();
beforeEach(() => {
  checks.mockClear();
});
afterAll(() => {
  checks.mockRestore();
});

function statement(timestamp: number): Transaction {
  const [sender, sponsor] = [keyPairOf("alice"), keyPairOf("bob")];
  const members = { statementType: 1n, recipient: undefined, subject: undefined, data: [] };
  return buildTransaction({ type: 23, sender, sponsor, fee: 1n, timestamp, chainId: 0x5a, members });
}

test("the bits hold each verdict separately", () => {
  const places = Array.from({ length: 8 }, (_, proof) => proof).flatMap((proof) =>
    (["sender", "sponsor"] as const).map((signer) => [proof, signer] as [number, Signer]),
  );
  for (const valid of [true, false])
    for (const [proof, signer] of places) {
      const bits = withVerdict(0, proof, signer, valid);
      for (const [other, by] of places)
        expect(verdictIn(bits, other, by)).toBe(other === proof && by === signer ? valid : undefined);
    }
  let all = 0;
  for (const [i, [proof, signer]] of places.entries()) all = withVerdict(all, proof, signer, i % 3 === 0);
  for (const [i, [proof, signer]] of places.entries())
    expect(verdictIn(all, proof, signer)).toBe(i % 3 === 0);
  // Proofs beyond the maximum are not recorded.
  expect(withVerdict(0, 8, "sender", true)).toBe(0);
  expect(verdictIn(-1, 8, "sender")).toBeUndefined();
});

test("a signature is checked once per proof and key", () => {
  const transaction = statement(1);
  const { sender, sponsor } = transaction;
  if (sponsor === undefined) throw new Error("it has a sponsor");
  for (let round = 0; round < 3; round++) {
    expect(verifyProofOnce(transaction, 0, sender)).toBe(true);
    expect(verifyProofOnce(transaction, 1, sender)).toBe(false);
    expect(verifyProofOnce(transaction, 0, sponsor)).toBe(false);
    expect(verifyProofOnce(transaction, 1, sponsor)).toBe(true);
    expect(checks).toHaveBeenCalledTimes(4);
  }
});

test("given verdicts are not checked again, and are merged with known ones", () => {
  const transaction = statement(2);
  expect(verifyProofOnce(transaction, 1, transaction.sender)).toBe(false);
  cacheVerdicts(transaction, withVerdict(0, 0, "sender", true));
  expect(verifyProofOnce(transaction, 0, transaction.sender)).toBe(true);
  expect(verifyProofOnce(transaction, 1, transaction.sender)).toBe(false);
  expect(checks).toHaveBeenCalledTimes(1);
});
