/** A page ends even if it finds little, and says where to continue. */
import { expect, test } from "vitest";
import { bytesEqual } from "../../bytes/compare.ts";
import { addressOf } from "../../crypto/addresses.ts";
import type { ChainTransaction, ListPosition } from "../../interfaces.ts";
import { dev } from "../../profiles/index.ts";
import { Overlay } from "../../storage/batch/overlay.ts";
import type { Place } from "../../storage/places.ts";
import { tables } from "../../storage/tables.ts";
import { buildTransaction, typeOf } from "../../testing/build-transaction.ts";
import { keyPairOf, rootKeyPair } from "../../testing/dev-node.ts";
import type { Transaction } from "../../transactions/index.ts";
import { sponsoredBy } from "./sponsors.ts";
import { newestTransactionsOf } from "./transactions.ts";

const none = new Uint8Array(0);
const recipients = ["left", "kept"].map((name) => addressOf(keyPairOf(name).publicKey, dev.chainId));

const common = { sender: rootKeyPair, fee: 1n, timestamp: 1n, chainId: dev.chainId };

const transfer = buildTransaction({
  ...common,
  type: typeOf("transfer"),
  members: { recipient: recipients[0], amount: 1n, attachment: none },
});

function sponsorship(recipient: Uint8Array): Transaction {
  return buildTransaction({ ...common, type: typeOf("sponsorship"), members: { recipient } });
}

function at(place: Place, transaction: Transaction = transfer): ChainTransaction {
  return { ...place, transaction, effectiveFee: 1n };
}

/** Headers of a chain with these transaction counts. */
function chainOf(counts: readonly number[]): Overlay {
  const rows = new Overlay();
  counts.forEach((transactionCount, i) => {
    rows.put(tables.headers, i + 1, {
      version: 4,
      timestamp: 0n,
      reference: new Uint8Array(64),
      baseTarget: 1n,
      generationSignature: new Uint8Array(32),
      features: [],
      feeVote: 0,
      generator: new Uint8Array(32),
      signature: new Uint8Array(64),
      baseSignature: new Uint8Array(64),
      size: 0,
      transactionCount,
    });
  });
  return rows;
}

test("searches 10,000 blocks for transactions of a rare type", () => {
  const counts = Array.from({ length: 10_500 }, (_, i) => (i === 9 ? 1 : 0));
  const look = (after?: Place) =>
    newestTransactionsOf(chainOf(counts), { transaction: (place) => at(place) }, counts.length, {
      types: [],
      after,
      limit: 5,
    });
  const first = look();
  expect(first).toEqual({ transactions: [], end: { height: 501, position: 0 } });
  const second = look(first.end);
  expect(second.transactions.map(({ height }) => height)).toEqual([10]);
  expect(second.end).toBeUndefined();
});

test("searches 10,000 transactions for a rare type", () => {
  const counts = [6_000, 6_000];
  let looked = 0;
  const transaction = (place: Place): ChainTransaction => {
    looked++;
    return at(place);
  };
  const query = { types: [24], limit: 5 };
  const first = newestTransactionsOf(chainOf(counts), { transaction }, counts.length, query);
  expect(first).toEqual({ transactions: [], end: { height: 1, position: 2_000 } });
  expect(looked).toBe(10_000);
  const next = newestTransactionsOf(chainOf(counts), { transaction }, 2, { ...query, after: first.end });
  expect(next).toEqual({ transactions: [], end: undefined });
  expect(looked).toBe(12_000);
});

test("reads a thousand sponsorships, cancelled ones included", () => {
  const places: ListPosition[] = Array.from({ length: 1_500 }, (_, i) => ({
    height: 1_500 - i,
    position: 0,
    timestamp: BigInt(1_500 - i),
  }));
  const [left, kept] = recipients.map(sponsorship);
  const address = left.senderAddress;
  const source = {
    // Only the oldest one is still in force.
    blocks: { transaction: (place: ListPosition) => at(place, place.height === 1 ? kept : left) },
    ledger: {
      isSponsor: (recipient: Uint8Array, sponsor: Uint8Array) =>
        bytesEqual(recipient, recipients[1]) && bytesEqual(sponsor, address),
    },
  };
  const first = sponsoredBy(address, places, 10, source);
  expect(first).toEqual({ sponsored: [], end: { height: 501, position: 0, timestamp: 501n } });
  const rest = places.filter(({ height }) => height < 501);
  const second = sponsoredBy(address, rest, 10, source);
  expect(second.sponsored.map((one) => one.address)).toEqual([recipients[1]]);
  expect(second.end).toBeUndefined();
});
