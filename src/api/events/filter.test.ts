import { expect, test } from "vitest";
import { addressOf } from "../../crypto/addresses.ts";
import { dev } from "../../profiles/index.ts";
import { buildTransaction } from "../../testing/build-transaction.ts";
import { keyPairOf, rootKeyPair } from "../../testing/dev-node.ts";
import { eventFilter, filterFieldsOf, matchesFilter } from "./filter.ts";

const [root, one, two, other] = [rootKeyPair, ...["one", "two", "other"].map(keyPairOf)].map(
  ({ publicKey }) => addressOf(publicKey, dev.chainId),
);
const common = { sender: rootKeyPair, fee: 100_000_000n, timestamp: 1n, chainId: dev.chainId };
const payout = buildTransaction({
  ...common,
  type: 11,
  members: {
    transfers: [one, two].map((recipient) => ({ recipient, amount: 1n })),
    attachment: new Uint8Array(0),
  },
});
const lease = buildTransaction({ ...common, type: 8, members: { recipient: one, amount: 1n } });
const id = new Uint8Array(32).fill(1);
const events = ["transaction"] as const;

test("matches a transaction only if every part of the filter has one of its values", () => {
  const facts = filterFieldsOf(payout, id, other);
  const lets = (parts: Partial<Parameters<typeof eventFilter>[0]>): boolean =>
    matchesFilter(eventFilter({ events, ...parts }), facts);
  expect(lets({})).toBe(true);
  for (const address of [root, one, two, other]) expect(lets({ addresses: [address] })).toBe(true);
  expect(lets({ addresses: [id.subarray(0, 26)] })).toBe(false);
  expect(lets({ types: [4, 11] })).toBe(true);
  expect(lets({ types: [4] })).toBe(false);
  expect(lets({ ids: [id] })).toBe(true);
  expect(lets({ ids: [new Uint8Array(32)] })).toBe(false);
  expect(lets({ types: [11], ids: [id], addresses: [two] })).toBe(true);
  expect(lets({ types: [8], ids: [id], addresses: [two] })).toBe(false);
  expect(matchesFilter(eventFilter({ events, addresses: [one] }), filterFieldsOf(lease, id))).toBe(true);
  expect(matchesFilter(eventFilter({ events, addresses: [two] }), filterFieldsOf(lease, id))).toBe(false);
});

test("gives the same key to filters that match the same, and other keys to others", () => {
  const key = eventFilter({ events: ["block", "transaction"], types: [4, 11], addresses: [one, two] }).key;
  expect(
    eventFilter({
      events: ["transaction", "block", "block"],
      types: [11, 4, 4],
      addresses: [two, one],
      ids: [],
    }).key,
  ).toBe(key);
  const others = [
    eventFilter({ events: ["block"], types: [4, 11], addresses: [one, two] }),
    eventFilter({ events: ["block", "transaction"], types: [4], addresses: [one, two] }),
    eventFilter({ events: ["block", "transaction"], types: [4, 11], addresses: [one] }),
    eventFilter({ events: ["block", "transaction"], types: [4, 11], ids: [one, two] }),
  ];
  for (const { key: different } of others) expect(different).not.toBe(key);
});
