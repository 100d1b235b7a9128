/** The queries of explorer pages, compared with the chain itself, before and after a fork. */
import { beforeAll, describe, expect, test } from "vitest";
import { encodeBase58 } from "../../bytes/base58.ts";
import { bytesKey } from "../../bytes/compare.ts";
import { addressText } from "../../crypto/addresses.ts";
import type {
  AccountChange,
  AccountEntry,
  BlockRow,
  ChainTransaction,
  ListPosition,
  UnitPosition,
} from "../../interfaces.ts";
import { readerContext } from "../../node/composition.ts";
import { Overlay } from "../../storage/batch/overlay.ts";
import { memoryStore } from "../../storage/memory-store.ts";
import type { Store } from "../../storage/store.ts";
import { tables } from "../../storage/tables.ts";
import type { DevNode } from "../../testing/dev-node.ts";
import { forgeBlocks, forgedProfile, forgedTrust } from "../../testing/forged-chain.ts";
import { settingsOf } from "../../testing/settings.ts";
import { transactionId } from "../../transactions/index.ts";
import { StoredSnapshot } from "../snapshot.ts";

const HEIGHT = 60;
const DEPTH = 12;
let store: Store;
let node: DevNode;
/** Ids of the blocks that the fork reverted, by height. */
const reverted = new Map<number, Uint8Array>();

/** Reads the chain. Writes to its rows are lost afterwards. */
function ask<T>(reading: (chain: StoredSnapshot, rows: Overlay) => T): T {
  const context = readerContext(settingsOf(forgedProfile), node.chain.rules, forgedTrust);
  return store.read((reader) => {
    const rows = new Overlay(reader);
    return reading(new StoredSnapshot(rows, context), rows);
  });
}

function accountsOf(chain: StoredSnapshot): Uint8Array[] {
  return Array.from(chain.accounts.distribution(chain.height()), ({ address }) => address);
}

/** Another chain replaces the newest blocks. */
beforeAll(() => {
  store = memoryStore();
  node = forgeBlocks(store, HEIGHT);
  ask((chain) => {
    for (let height = HEIGHT - DEPTH + 1; height <= HEIGHT; height++) {
      const id = chain.blocks.idAt(height);
      if (id !== undefined) reverted.set(height, id);
    }
  });
  const common = ask((chain) => chain.blocks.idAt(HEIGHT - DEPTH));
  if (common === undefined) throw new Error("there is no such block");
  node.chain.removeAfter(common, { returnTransactions: true });
  node.forger.start();
  while (node.chain.tip.height < HEIGHT - 3) node.clock.advance(400);
  node.forger.stop();
});

/** All pages of a list, `limit` entries per page. */
function allPages<Item, Place>(
  page: (place: Place | undefined) => { readonly items: readonly Item[]; readonly next: Place | undefined },
): Item[] {
  const all: Item[] = [];
  let place: Place | undefined;
  do {
    const { items, next } = page(place);
    all.push(...items);
    place = next;
  } while (place !== undefined);
  return all;
}

describe("changes of an account", () => {
  const changes = (chain: StoredSnapshot, address: Uint8Array, limit: number): AccountChange[] =>
    allPages<AccountChange, UnitPosition>((before) => {
      const items = chain.accounts.changes(address, { before, limit, maxIds: 1_000 });
      return { items, next: items.length === limit ? items.at(-1) : undefined };
    });

  test("end with its current balance, and each height with its balance there, whatever the page size", () => {
    ask((chain) => {
      for (const address of accountsOf(chain)) {
        const all = changes(chain, address, 1_000_000);
        expect(changes(chain, address, 3)).toEqual(all);
        const { balance, leaseIn, leaseOut, unbonding } = all[0];
        expect({ balance, leaseIn, leaseOut, unbonding }).toEqual(chain.accounts.info(address));
        const lastOfHeight = new Map(all.toReversed().map((change) => [change.height, change.balance]));
        const steps = [...lastOfHeight].filter(([height]) => height <= chain.persistedHeight());
        const history = steps.filter(([, amount], i) => amount !== (steps[i - 1]?.[1] ?? 0n)).reverse();
        expect(history).toEqual(
          chain.accounts.balanceHistory(address).map((one) => [one.height, one.balance]),
        );
      }
    });
  });

  test("have the block, its time, its generator and the transactions that list the account", () => {
    ask((chain) => {
      for (const address of accountsOf(chain)) {
        const listed = chain.transactions
          .ofAddress(address, { types: [], offset: 0, limit: 10_000 })
          .map(({ height }) => height);
        for (const change of changes(chain, address, 50)) {
          const header = chain.blocks.header(change.height);
          expect(change.id).toEqual(header?.id);
          expect(change.timestamp).toBe(header?.timestamp);
          expect(change.hasForged).toBe(
            header !== undefined && bytesKey(header.generator) === bytesKey(address),
          );
          expect(change.transactionCount).toBe(change.transactions.length);
          for (const id of change.transactions) {
            const found = chain.transactions.byId(id);
            expect(found?.height).toBe(change.height);
            expect(listed.includes(change.height)).toBe(true);
          }
        }
      }
    });
  });

  test("are empty for an unknown account", () => {
    ask((chain) => {
      expect(chain.accounts.changes(new Uint8Array(26), { limit: 10, maxIds: 1 })).toEqual([]);
    });
  });
});

describe("newest transactions", () => {
  const idOf = ({ height, position }: ChainTransaction): string => `${height}:${position}`;

  test.each([1, 7, 100])("are those of the blocks, newest first, %i per page", (limit) => {
    ask((chain) => {
      const all: string[] = [];
      for (let height = chain.height(); height >= 1; height--)
        all.push(...(chain.blocks.at(height)?.transactions ?? []).map(idOf).reverse());
      const paged = allPages<ChainTransaction, { height: number; position: number }>((after) => {
        const { transactions, end } = chain.transactions.newest({ types: [], after, limit });
        return { items: transactions, next: end };
      });
      expect(paged.map(idOf)).toEqual(all);
    });
  });

  test("can be limited to some types", () => {
    ask((chain) => {
      const all = chain.transactions.newest({ types: [], limit: 10_000 });
      const some = chain.transactions.newest({ types: [4, 15], limit: 10_000 });
      const wanted = all.transactions.filter(({ transaction: { type } }) => type === 4 || type === 15);
      expect(some.transactions.map(idOf)).toEqual(wanted.map(idOf));
      expect(wanted.length).toBeGreaterThan(10);
      expect(all.end).toBeUndefined();
      expect(some.end).toBeUndefined();
    });
  });
});

describe("entries of an account", () => {
  const whole = { from: 1, to: 1_000_000, types: [] };
  const idOf = ({ height, position }: { height: number; position: number }): string =>
    `${height}:${position}`;
  const entries = (chain: StoredSnapshot, address: Uint8Array, limit: number): AccountEntry[] =>
    allPages((after: { height: number; position: number } | undefined) => {
      const found = chain.accounts.entries(address, { ...whole, after, limit, includeBalances: true });
      return { items: found.entries, next: found.end };
    });

  test("are the transactions that list the account, by place, whatever the page size", () => {
    ask((chain) => {
      for (const address of accountsOf(chain)) {
        const all = entries(chain, address, 1_000_000);
        const listed = chain.transactions.ofAddress(address, { types: [], offset: 0, limit: 10_000 });
        const ids = new Set(all.map(idOf));
        expect(listed.every((one) => ids.has(idOf(one)))).toBe(true);
        // The node's list lacks some types, and transactions that only name the account.
        const others = all.filter((one) => !listed.some((other) => idOf(other) === idOf(one)));
        expect(others.every(({ amount }) => amount === 0n)).toBe(true);
        expect(all.map(idOf)).toEqual(
          [...all].sort((a, b) => b.height - a.height || b.position - a.position).map(idOf),
        );
        expect(entries(chain, address, 3)).toEqual(all);
      }
    });
  });

  test("of one type are those of the whole list, with many or few changes of the balance between them", () => {
    const gaps = new Set<number>();
    ask((chain) => {
      for (const address of accountsOf(chain)) {
        const all = entries(chain, address, 1_000_000);
        const changes = chain.accounts.changes(address, { limit: 1_000_000, maxIds: 0 });
        for (const type of new Set(all.map(({ transaction }) => transaction.type))) {
          const query = { ...whole, types: [type], limit: 1_000_000, includeBalances: true };
          const some = chain.accounts.entries(address, query).entries;
          expect(some).toEqual(all.filter(({ transaction }) => transaction.type === type));
          for (const [i, { height }] of some.entries()) {
            const above = some[i - 1]?.height ?? height;
            gaps.add(changes.filter((one) => one.height > height && one.height < above).length);
          }
        }
      }
    });
    expect(gaps).toContain(0);
    expect(Math.max(...gaps)).toBeGreaterThan(10);
  });

  test("have balances that the account really had, and most have one", () => {
    let known = 0;
    let unknown = 0;
    ask((chain) => {
      for (const address of accountsOf(chain)) {
        const atUnits = new Set(
          chain.accounts.changes(address, { limit: 1_000_000, maxIds: 0 }).map(({ balance }) => balance),
        );
        const all = entries(chain, address, 1_000_000);
        for (const [i, { balance, amount, feePaid }] of all.entries()) {
          if (balance === undefined) {
            unknown++;
            continue;
          }
          known++;
          // Every balance is a state after a unit, or leads to the next one in the same unit.
          const later = all[i - 1];
          const leadsToLater =
            later !== undefined && later.balance === balance + later.amount - later.feePaid;
          expect(atUnits.has(balance) || leadsToLater).toBe(true);
          expect(balance - amount + feePaid).toBeGreaterThanOrEqual(0n);
        }
      }
    });
    expect(known).toBeGreaterThan(20);
    expect(unknown).toBeGreaterThan(0);
  });

  test("add up to the totals of a part of the chain", () => {
    ask((chain) => {
      for (const address of accountsOf(chain)) {
        const range = { from: 10, to: 30 };
        const { entries: part } = chain.accounts.entries(address, {
          ...whole,
          ...range,
          limit: 10_000,
          includeBalances: false,
        });
        const totals = chain.accounts.totals(address, range);
        const sum = part.reduce((before, { amount }) => before + amount, 0n);
        expect(totals.received.amount - totals.sent.amount).toBe(sum);
        expect(totals.transactions).toBe(part.length);
        expect(totals.isComplete).toBe(true);
        const before = chain.accounts.balanceHistory(address).filter(({ height }) => height < range.from);
        expect(totals.opening).toBe(before[0]?.balance ?? 0n);
        expect(part.every(({ height }) => height >= 10 && height <= 30)).toBe(true);
      }
    });
  });
});

describe("suggestions", () => {
  test("are the accounts and blocks whose text begins with the prefix", () => {
    ask((chain) => {
      for (const address of accountsOf(chain))
        expect(chain.suggestions.startingWith(addressText(address).slice(0, 9), 5)).toContainEqual({
          kind: "address",
          address,
        });
      for (let height = 1; height <= 20; height++) {
        const id = chain.blocks.idAt(height) ?? new Uint8Array();
        const found = chain.suggestions.startingWith(encodeBase58(id).slice(0, 6), 5);
        expect(found).toContainEqual({ kind: "block", id: Uint8Array.from(id), height });
      }
    });
  });

  test("are the newest transactions, also before they are in the index", () => {
    ask((chain) => {
      const { transactions } = chain.transactions.newest({ types: [], limit: 30 });
      expect(transactions.length).toBe(30);
      for (const { transaction, height } of transactions) {
        const id = Uint8Array.from(transactionId(transaction));
        const found = chain.suggestions.startingWith(encodeBase58(id).slice(0, 8), 5);
        expect(found).toEqual([{ kind: "transaction", id, height }]);
      }
    });
  });

  test("do not contain blocks and transactions that left the chain, and are bounded", () => {
    ask((chain) => {
      for (const id of reverted.values())
        expect(chain.suggestions.startingWith(encodeBase58(id).slice(0, 12), 5)).toEqual([]);
      expect(chain.suggestions.startingWith("3", 2).length).toBeLessThanOrEqual(6);
      expect(chain.suggestions.startingWith("l0", 2)).toEqual([]);
    });
  });
});

describe("rows of blocks", () => {
  test("are the headers with fees and rewards, newest first, whatever the page size", () => {
    ask((chain) => {
      const rows = (limit: number): BlockRow[] =>
        allPages((after: number | undefined) => {
          const items = chain.blocks.rows({ from: 3, to: 50, after, limit });
          return { items, next: items.length === limit ? items.at(-1)?.height : undefined };
        });
      const all = rows(1_000);
      expect(rows(7)).toEqual(all);
      expect(all.map(({ height }) => height)).toEqual(
        Array.from(
          { length: chain.height() < 50 ? chain.height() - 2 : 48 },
          (_, i) => Math.min(50, chain.height()) - i,
        ),
      );
      for (const { height, id, fees, transactionCount } of all)
        expect(chain.blocks.at(height)).toMatchObject({ id, fee: fees, transactionCount });
    });
  });

  test("can be those of one generator", () => {
    ask((chain) => {
      const { generator } = node.chain.tip.keyBlock;
      const ofGenerator = (some: Uint8Array): number[] =>
        chain.blocks.rows({ from: 2, to: 20, generator: some, limit: 100 }).map(({ height }) => height);
      expect(ofGenerator(generator)).toEqual(Array.from({ length: 19 }, (_, i) => 20 - i));
      expect(ofGenerator(new Uint8Array(26))).toEqual([]);
    });
  });

  test("a time finds the newest block that is not newer", () => {
    ask((chain) => {
      for (let height = 1; height <= chain.height(); height++) {
        const time = Number(chain.blocks.header(height)?.timestamp);
        expect(chain.blocks.heightAt(time)).toBe(height);
        expect(chain.blocks.heightAt(time - 1)).toBe(height - 1);
      }
      expect(chain.blocks.heightAt(Number.MAX_SAFE_INTEGER)).toBe(chain.height());
    });
  });
});

describe("a block that left the chain", () => {
  test("is shown with its replacement", () => {
    ask((chain) => {
      for (const [height, id] of reverted) {
        const info = chain.blocks.reverted(id);
        expect(info?.header).toMatchObject({ height, id });
        expect(info?.isOnChain).toBe(false);
        expect(info?.keepsKeyBlock).toBe(false);
        expect(info?.replacedBy).toEqual(chain.blocks.header(height));
        expect(info?.replacedBy === undefined).toBe(height > chain.height());
      }
    });
  });

  test("is neither one on the chain nor an unknown one", () => {
    ask((chain) => {
      expect(chain.blocks.reverted(chain.blocks.idAt(2) ?? new Uint8Array())).toBeUndefined();
      expect(chain.blocks.reverted(new Uint8Array(64))).toBeUndefined();
    });
  });
});

test("the next block is due when the forger says so, and its generator made all of them", () => {
  const { chain } = node;
  const { generator, timestamp } = chain.tip.keyBlock;
  ask((stored) => {
    const key = stored.blocks.header(stored.height())?.generatorKey ?? new Uint8Array();
    const balance = chain.forging.generatingBalance(generator);
    const { forgers, examinedBlocks, height } = stored.network.dueBlocks(1_000, 10);
    expect(height).toBe(chain.tip.height);
    expect(examinedBlocks).toBe(height - 1);
    expect(forgers.map(({ address, blocks }) => [addressText(address), blocks])).toEqual([
      [addressText(generator), examinedBlocks],
    ]);
    expect(forgers[0].due).toBe(timestamp + chain.forging.blockDelay(key, balance));
    expect(stored.network.dueBlocks(5, 10).forgers[0].blocks).toBe(5);
  });
});

test("the accounts that an address sponsors match the sponsors of those accounts", () => {
  ask((chain) => {
    const accounts = accountsOf(chain);
    let pairs = 0;
    for (const address of accounts) {
      const wanted = accounts
        .filter((one) => chain.sponsors.of(one).some((sponsor) => bytesKey(sponsor) === bytesKey(address)))
        .map(addressText);
      pairs += wanted.length;
      for (const limit of [1, 1_000]) {
        const found = allPages((after: ListPosition | undefined) => {
          const { sponsored, end } = chain.sponsors.sponsored(address, { after, limit });
          return { items: sponsored.map((one) => addressText(one.address)), next: end };
        });
        expect([...new Set(found)].sort()).toEqual(wanted.sort());
      }
    }
    expect(pairs).toBeGreaterThan(0);
  });
});

test("role holders are the accounts that received roles, page by page", () => {
  const sender = new Uint8Array(26).fill(1);
  ask((chain, rows) => {
    for (const byte of [9, 3, 200, 4])
      rows.put(tables.roles, new Uint8Array(26).fill(byte), [{ role: "university", sender, type: 100n }]);
    const all = chain.trust.holders({ limit: 1_000 });
    expect(all.length).toBeGreaterThanOrEqual(4);
    expect(all.map(({ address }) => bytesKey(address))).toEqual(
      all.map(({ address }) => bytesKey(address)).sort(),
    );
    const paged = allPages((after: Uint8Array | undefined) => {
      const items = chain.trust.holders({ after, limit: 1 });
      return { items, next: items[0]?.address };
    });
    expect(paged).toEqual(all);
    for (const { address, grants } of all) expect(grants).toEqual(chain.trust.grantsOf(address));
    expect(chain.trust.root()).toEqual(forgedTrust.root);
  });
});
