import fc from "fast-check";
import { expect, test } from "vitest";
import { keyPairOf } from "../testing/dev-node.ts";
import {
  bodyBytes,
  copyTransaction,
  parseTransaction,
  signTransaction,
  transactionBytes,
} from "../transactions/index.ts";
import { transactionArbitrary } from "../transactions/testing/arbitrary.ts";
import { isCommon } from "./checked-block.ts";
import { BODY_AT, commonBodyLength, KEY_AT, looksCommon } from "./common-form.ts";

const network = { chainId: 0x54, payment: true };
const keyPair = keyPairOf("common");

test("a transaction in the common form has its body, key and proof at the expected positions", () => {
  let common = 0;
  fc.assert(
    fc.property(transactionArbitrary({ network }), fc.boolean(), (made, plain) => {
      const alone =
        plain && made.type !== 1 ? copyTransaction(made, { sponsor: undefined, proofs: [] }) : made;
      const bytes = transactionBytes(plain && made.type !== 1 ? signTransaction(alone, keyPair) : made);
      if (!looksCommon(bytes)) return;
      const transaction = parseTransaction(bytes, network);
      if (!isCommon(transaction)) return;
      common++;
      const size = commonBodyLength(bytes.length);
      expect(bytes.subarray(BODY_AT, BODY_AT + size)).toEqual(bodyBytes(transaction));
      expect(bytes.subarray(KEY_AT, KEY_AT + 32)).toEqual(transaction.sender.bytes);
      expect(bytes.subarray(bytes.length - 64)).toEqual(transaction.proofs[0]);
    }),
    { numRuns: 2_000, seed: 5 },
  );
  expect(common).toBeGreaterThan(50);
});

test("detects bytes that only look like the common form", () => {
  let caught = 0;
  fc.assert(
    fc.property(transactionArbitrary({ network, versions: [3] }), fc.nat(200), (made, cut) => {
      // The tail of a common transaction after any other bytes.
      const bytes = Uint8Array.from(transactionBytes(made));
      const tail = Uint8Array.of(0, 1, 0, 1, 0, 64, ...new Uint8Array(64).fill(9));
      const mixed = new Uint8Array(bytes.length + tail.length + cut);
      mixed.set(bytes);
      mixed.set(tail, mixed.length - tail.length);
      if (!looksCommon(mixed)) return;
      let transaction: ReturnType<typeof parseTransaction>;
      try {
        transaction = parseTransaction(mixed, network);
      } catch {
        return;
      }
      // The parser allows extra bytes after the proofs: the guess would be another signature.
      expect(isCommon(transaction)).toBe(false);
      caught++;
    }),
    { numRuns: 1_000, seed: 6 },
  );
  expect(caught).toBeGreaterThan(50);
});
