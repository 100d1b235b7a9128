import { expect, test } from "vitest";
import type { Account } from "../../ledger/state.ts";
import { SeededRandom } from "../../testing/seeded-random.ts";
import { Overlay } from "../batch/overlay.ts";
import { AccountCache, type CachedAccount, NO_ACCOUNT } from "./account-cache.ts";
import { StoredLedger } from "./ledger-state.ts";
import { StoredLedgerView } from "./ledger-view.ts";

/** Addresses with the same `slot` share a pair of slots, whatever the size of the cache. */
function addressOf(slot: number, number: number): Uint8Array {
  const bytes = new Uint8Array(26).fill(number);
  bytes[3] = slot & 0xff;
  bytes[4] = slot >> 8;
  bytes[5] = 0;
  return bytes;
}

function cachedOf(key: Uint8Array): CachedAccount {
  return {
    key,
    length: 0,
    at: 0,
    row: { value: undefined },
    account: NO_ACCOUNT,
    change: "none",
    script: undefined,
    sponsors: undefined,
  };
}

test("replaces the unchanged account of a set that was used least recently, but no changed one", () => {
  const cache = new AccountCache();
  const [a, b, c, d] = [1, 2, 3, 4].map((number) => cachedOf(addressOf(7, number)));
  for (const account of [a, b]) cache.add(account);
  expect([cache.get(b.key), cache.get(a.key.slice())]).toEqual([b, a]);
  cache.add(c);
  expect([a, b, c].map(({ key }) => cache.get(key))).toEqual([a, undefined, c]);
  a.change = "amounts";
  cache.add(b);
  expect([a, b, c].map(({ key }) => cache.get(key))).toEqual([a, b, undefined]);
  b.change = "count";
  for (const account of [c, d]) {
    cache.add(account);
    account.change = "amounts";
  }
  expect([a, b, c, d].map(({ key }) => cache.get(key.slice()))).toEqual([a, b, c, d]);
  for (const account of [a, b, c, d]) account.change = "none";
  cache.onWritten();
  expect([a, b, c, d].map(({ key }) => cache.get(key))).toEqual([a, b, undefined, undefined]);
});

test("keeps all changed accounts while it grows, and has a bounded number of unchanged ones", () => {
  const cache = new AccountCache();
  const accounts = Array.from({ length: 40_000 }, (_, i) => cachedOf(addressOf(i % 65_536, i % 251)));
  for (const account of accounts) {
    account.change = "amounts";
    cache.add(account);
  }
  expect(accounts.every((account) => cache.get(account.key) === account)).toBe(true);
  for (const account of accounts) account.change = "none";
  cache.onWritten();
  expect(accounts.filter(({ key }) => cache.get(key) !== undefined).length).toBe(16_384);
});

test("a ledger whose accounts share slots has the balances of one without a cache", () => {
  const random = new SeededRandom(11);
  const addresses = Array.from({ length: 30 }, (_, i) => addressOf(i % 3, i));
  for (let run = 0; run < 8; run++) {
    const overlay = new Overlay();
    const ledger = new StoredLedger(overlay);
    const balances = new Map<Uint8Array, bigint>();
    const sponsored = new Map<Uint8Array, Set<Uint8Array>>();
    for (let height = 1; height <= 12; height++) {
      ledger.beginBlock(height, { timestamp: 1n, generator: addresses[0], features: [], feeVote: 0 });
      for (let step = 0; step < 25; step++) {
        const address = random.pick(addresses);
        expect(ledger.account(address.slice()).balance).toBe(balances.get(address) ?? 0n);
        if (random.chance(50)) {
          const account: Account = {
            balance: BigInt(random.below(1_000)),
            leaseIn: 0n,
            leaseOut: 0n,
            unbonding: 0n,
          };
          ledger.setAccount(address.slice(), account);
          balances.set(address, account.balance);
        } else if (random.chance(30)) {
          const sponsor = random.pick(addresses);
          const sponsors = sponsored.get(address) ?? new Set();
          sponsored.set(address, sponsors);
          if (sponsors.delete(sponsor)) ledger.removeSponsor(address, sponsor);
          else {
            sponsors.add(sponsor);
            ledger.addSponsor(address, sponsor);
          }
        }
      }
      ledger.flush();
      const view = new StoredLedgerView(overlay);
      for (const address of addresses) {
        expect(view.account(address).balance).toBe(balances.get(address) ?? 0n);
        expect([...view.sponsors(address)].sort(Buffer.compare)).toEqual(
          [...(sponsored.get(address) ?? [])].sort(Buffer.compare),
        );
        const [newest] = view.accountChanges(address);
        expect(newest?.account.balance).toBe(balances.get(address));
      }
    }
  }
});
