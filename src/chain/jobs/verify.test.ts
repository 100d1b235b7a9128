import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { encodeBase58 } from "../../bytes/base58.ts";
import { addressOf, addressText } from "../../crypto/addresses.ts";
import { allIndexes } from "../../indexes/all.ts";
import { Overlay } from "../../storage/batch/overlay.ts";
import { PERSIST_SEQUENCE } from "../../storage/batch/write-batch.ts";
import { bytesKeyCodec } from "../../storage/codecs.ts";
import { allCounts, type Count, CountBuffer } from "../../storage/counters.ts";
import type { Reader, Table } from "../../storage/kv.ts";
import { recordedAt } from "../../storage/ledger/recorded-transactions.ts";
import { SponsorWriter, sponsorsNewestFirst } from "../../storage/ledger/sponsors.ts";
import { flushMemtable } from "../../storage/lsm/compaction.ts";
import { memoryStore } from "../../storage/memory-store.ts";
import type { UnitKey } from "../../storage/places.ts";
import { invertedIndexes } from "../../storage/postings/all.ts";
import { type UnitPosting, UnitPostings } from "../../storage/postings/unit-postings.ts";
import { openStore, type Store } from "../../storage/store.ts";
import { counters, lsmTrees, tables } from "../../storage/tables.ts";
import { bodyOf, transactionsOf } from "../../storage/values/chain.ts";
import { forgeBlocks, forgedProfile, forgedTrust, forgerKeyPair } from "../../testing/forged-chain.ts";
import { silentLog } from "../../testing/silent-log.ts";
import { VirtualClock } from "../../testing/virtual-clock.ts";
import { inlineVerifier } from "../../verification/testing/inline-verifier.ts";
import { Chain } from "../chain.ts";
import { indexState, putIndexState } from "../reading/index-states.ts";
import { headerRow } from "../reading/rows.ts";
import { type Verification, type VerifyOptions, verifyStore } from "./verify.ts";
import { postingKeyText } from "./verify-differences.ts";

const raise = (what: string): never => {
  throw new Error(`the chain has not ${what}`);
};
const HEIGHT = 14;
/** Lets a cancelled lease be released at height 10. */
const SEED_WITH_RELEASE = 1;
const forger = addressOf(forgerKeyPair.publicKey, forgedProfile.chainId);
const folder = mkdtempSync(join(tmpdir(), "holdfast-verify-"));
let store: Store;

function emptyChain(into: Store): Chain {
  return Chain.open({
    store: into,
    profile: forgedProfile,
    indexes: allIndexes({ trust: forgedTrust }),
    clock: new VirtualClock(0),
    log: silentLog,
    options: { stopOnUnsupportedFeature: true },
  });
}

async function verify(stored: Reader, options: Omit<VerifyOptions, "verifier"> = {}): Promise<Verification> {
  const scratch = memoryStore();
  return verifyStore(stored, emptyChain(scratch), scratch, forgedProfile, {
    verifier: inlineVerifier(forgedProfile),
    ...options,
  });
}

beforeAll(async () => {
  // On disk: in memory lookups have another form.
  store = await openStore(folder, { network: "forged" });
  const { chain } = forgeBlocks(store, HEIGHT);
  // A block persisted without a child, and a chain that went on from there.
  const id = store.read((reader) => headerRow(reader, HEIGHT - 4).signature);
  chain.removeAfter(id, { returnTransactions: false });
  forgeBlocks(store, HEIGHT, 2);
});

afterAll(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

test("finds each digest of a unit that differs, is missing or is unexpected", async () => {
  const damaged = new Overlay(store);
  const persisted = { height: HEIGHT - 4, sequence: PERSIST_SEQUENCE };
  expect(store.get(tables.unitDigests, persisted)).toHaveLength(32);
  damaged.remove(tables.unitDigests, { height: 3, sequence: 0 });
  damaged.put(tables.unitDigests, persisted, new Uint8Array(32));
  damaged.put(tables.unitDigests, { height: 5, sequence: 400 }, new Uint8Array(32));
  const { faults } = await verify(damaged);
  expect(faults.filter(({ table }) => table === "unitDigests")).toEqual([
    { table: "unitDigests", key: "height=3 sequence=0", problem: "is missing" },
    { table: "unitDigests", key: "height=5 sequence=400", problem: "is unexpected" },
    {
      table: "unitDigests",
      key: `height=${HEIGHT - 4} sequence=65535 (persist unit)`,
      problem: "is not the digest of this unit's rows",
    },
  ]);
});

describe("a correct chain", () => {
  test("verifies, with micro blocks, a liquid tip and blocks persisted without a child", async () => {
    expect(store.get(tables.heights, undefined)).toEqual({ height: HEIGHT, persisted: HEIGHT - 1 });
    const persistedAlone = { height: HEIGHT - 4, sequence: PERSIST_SEQUENCE };
    expect(store.get(tables.journal, persistedAlone)).toBeDefined();
    expect([...store.range(tables.microBlocks)].length).toBeGreaterThan(HEIGHT);
    const found = await verify(store);
    expect(found).toMatchObject({ outcome: "right", faults: [], unlisted: 0, blocks: HEIGHT });
    expect(found.transactions).toBeGreaterThan(50);
    expect(found.rows).toBeGreaterThan(500);
  });

  test("verifies below its journal, with a release of a block that was persisted without a child", async () => {
    const old = memoryStore();
    const { chain } = forgeBlocks(old, 20, SEED_WITH_RELEASE);
    const id = old.read((reader) => headerRow(reader, 10).signature);
    chain.removeAfter(id, { returnTransactions: false });
    forgeBlocks(old, 12, 2);
    const unit = { height: 10, sequence: PERSIST_SEQUENCE };
    expect(old.get(tables.accountHistory, unit)).toBeDefined();
    const pruned = new Overlay(old);
    for (const [key] of old.range(tables.journal)) pruned.remove(tables.journal, key);
    const { faults } = await verify(pruned);
    // Lookups are on disk only.
    expect(faults.filter(({ problem }) => !problem.startsWith("is missing: not found by "))).toEqual([]);
  });

  test("verifies after a change of the configuration, and names what the next start rebuilds", async () => {
    const changed = new Overlay(store);
    expect((await verify(changed)).outdated).toEqual([]);
    expect(indexState(store, "trust")?.kind).toBe("whole");
    putIndexState(changed, "trust", { kind: "whole", configurationText: "another network of roles" });
    changed.put(tables.roles, forger, [{ role: "stale", sender: forger, type: 1n }]);
    expect(await verify(changed)).toMatchObject({ outcome: "right", outdated: ["roles"] });
    const configurationText = indexState(store, "anchors")?.configurationText ?? "";
    putIndexState(changed, "anchors", {
      kind: "partial",
      configurationText,
      next: { height: 1, sequence: 0 },
    });
    changed.remove(tables.anchors, someUnit(tables.anchors));
    expect(await verify(changed)).toMatchObject({
      outcome: "right",
      outdated: ["anchors", "mappedAnchors", "roles"],
    });
  });

  test("pauses while it compares, and stops on request", async () => {
    const seen = new Map<string, number>();
    const whole = await verify(store, {
      onCompare: ({ table, done, total }) => {
        expect(done).toBeLessThanOrEqual(total);
        seen.set(table, done);
      },
    });
    expect(whole.outcome).toBe("right");
    expect([...seen.values()]).toEqual(Array.from(seen, (_, i) => i + 1));
    // More rows than one slice of work.
    const large = new Overlay(store);
    for (let i = 0; i < 5_000; i++) large.put(tables.score, 1_000 + i, 1n);
    let paused = false;
    const stopped = await verify(large, {
      onCompare: ({ table }) => {
        paused ||= table === "score";
      },
      isStopped: () => paused,
    });
    expect(stopped).toMatchObject({ outcome: "stopped", blocks: HEIGHT });
    expect(stopped.unlisted).toBeGreaterThan(0);
  });

  test("verifies whatever the commits were", async () => {
    expect(await verify(store, { commitEvery: 1 })).toMatchObject({ outcome: "right" });
  });
});

function someUnit(table: Table<UnitKey, UnitPostings>): UnitKey {
  for (const [unit] of store.range(table)) return unit;
  throw new Error(`table ${table.name} is empty`);
}

/** A key in the middle of a table. */
function someKey(table: Table<unknown, unknown>): Uint8Array {
  const rows = [...store.range(table)];
  const row = rows[rows.length >> 1];
  if (row === undefined) throw new Error(`table ${table.name} is empty`);
  return table.key.encode(row[0]);
}

describe("finds and locates", () => {
  test("a bit flipped in a stored transaction", async () => {
    const damaged = new Overlay(store);
    const unit = { height: 7, sequence: 2 };
    const body = store.get(tables.bodies, unit);
    if (body === undefined) throw new Error("no micro block 2 at height 7");
    const bytes = Uint8Array.from(body.bytes);
    bytes[bytes.length - 1] ^= 0x10;
    damaged.put(tables.bodies, unit, bodyOf(transactionsOf({ ...body, bytes })));
    const found = await verify(damaged);
    expect(found.outcome).toBe("faults");
    expect(found.faults[0]).toMatchObject({ table: "blocks", key: "height=7" });
    expect(found.faults[0]?.problem).toMatch(/InvalidSignature/);
  });

  test("a bit flipped in the body of a stored transaction", async () => {
    const damaged = new Overlay(store);
    const [[unit, body] = []] = [...store.range(tables.bodies)].filter(([{ height }]) => height > 1);
    if (unit === undefined || body === undefined) throw new Error("no body");
    const bytes = Uint8Array.from(body.bytes);
    // The timestamp of a version 3 transaction; in others something else that the signature covers.
    bytes[10] ^= 1;
    damaged.put(tables.bodies, unit, bodyOf(transactionsOf({ ...body, bytes })));
    const found = await verify(damaged);
    const position = store.get(tables.microBlocks, unit)?.firstPosition ?? 0;
    const id = store.read((reader) => recordedAt(reader, { height: unit.height, position })?.id);
    if (id === undefined) throw new Error("no transaction");
    expect(found.faults.map(({ table, key }) => `${table} ${key}`)).toEqual([
      `blocks height=${unit.height}`,
      `bodies height=${unit.height} position=${position} transaction ${encodeBase58(id)}`,
    ]);
  });

  test("a balance changed by hand", async () => {
    const damaged = new Overlay(store);
    const row = store.get(tables.accounts, forger);
    if (row === undefined) throw new Error("no account");
    damaged.put(tables.accounts, forger, { ...row, balance: row.balance + 1n });
    const found = await verify(damaged);
    expect(found.outcome).toBe("faults");
    expect(found.faults).toEqual([
      {
        table: "accounts",
        key: addressText(forger),
        problem: `balance is ${row.balance + 1n}, expected ${row.balance}`,
      },
    ]);
  });

  test("a missing list of an address, a changed one, and one too many", async () => {
    const damaged = new Overlay(store);
    const rows = [...store.range(tables.addressTransactions)];
    const [unit, postings] = rows.find(([, { length }]) => length > 2) ?? [];
    if (unit === undefined || postings === undefined) throw new Error("no unit has so many addresses");
    const [first, second, third, ...others] = [...postings] as [UnitPosting, UnitPosting, UnitPosting];
    const more = { key: new Uint8Array(26).fill(0xff), value: first.value };
    const changed = { key: second.key, value: second.value.map((byte) => byte ^ 1) };
    damaged.put(tables.addressTransactions, unit, UnitPostings.of([changed, third, ...others, more]));
    const found = await verify(damaged);
    const table = "addressTransactions";
    const key = (address: Uint8Array): string =>
      `height=${unit.height} sequence=${unit.sequence} address ${addressText(address)}`;
    expect(found.faults).toEqual([
      { table, key: key(first.key), problem: `is missing: ${encodeBase58(first.value)}` },
      {
        table,
        key: key(second.key),
        problem: `is ${encodeBase58(changed.value)}, expected ${encodeBase58(second.value)}`,
      },
      { table, key: key(more.key), problem: `is unexpected: ${encodeBase58(more.value)}` },
    ]);
  });

  test("a missing, an empty and an unreadable unit of an index", async () => {
    const damaged = new Overlay(store);
    const [[gone, postings], [broken, whole]] = [...store.range(tables.addressTransactions)].slice(3) as [
      [UnitKey, UnitPostings],
      [UnitKey, UnitPostings],
    ];
    damaged.remove(tables.addressTransactions, gone);
    damaged.put(tables.addressTransactions, broken, new UnitPostings(whole.bytes.subarray(0, -1)));
    damaged.put(tables.addressTransactions, { height: HEIGHT + 1, sequence: 0 }, UnitPostings.of([]));
    const found = await verify(damaged);
    const texts = found.faults.map(({ key, problem }) => `${key} ${problem}`);
    expect(texts.slice(0, postings.length)).toEqual(
      Array.from(
        postings,
        ({ key, value }) =>
          `height=${gone.height} sequence=${gone.sequence} address ${addressText(key)} is missing: ${encodeBase58(value)}`,
      ),
    );
    const at = `height=${broken.height} sequence=${broken.sequence}`;
    expect(texts.slice(postings.length)).toMatchObject([
      expect.stringMatching(new RegExp(`^${at} is unreadable .*, expected ${whole.length} keys `)),
      expect.stringMatching(/^height=15 sequence=0 is 0 keys .*, expected nothing$/),
    ]);
  });

  test("an unexpected row", async () => {
    const damaged = new Overlay(store);
    const item = { key: new Uint8Array(32).fill(7), value: Uint8Array.of(0) };
    damaged.put(tables.anchors, { height: 3, sequence: 99 }, UnitPostings.of([item]));
    const found = await verify(damaged);
    expect(found.faults).toHaveLength(1);
    expect(found.faults[0]?.table).toBe("anchors");
    expect(found.faults[0]?.problem).toMatch(/^is unexpected/);
  });

  test("transactions that are not found by their ids", async () => {
    const damaged = new Overlay(store);
    expect(store.get(tables.sortedRuns, lsmTrees.transactionIds.id)).toBeDefined();
    damaged.remove(tables.sortedRuns, lsmTrees.transactionIds.id);
    const found = await verify(damaged);
    const id = store.read((reader) => recordedAt(reader, { height: 1, position: 0 })?.id);
    if (id === undefined) throw new Error("no transaction");
    expect(found.faults[0]).toEqual({
      table: "transactionIds",
      key: `transaction ${encodeBase58(id)}, height=1 position=0`,
      problem: "is missing: not found by its id",
    });
    const genesis = forgedProfile.genesis.transactions.length;
    expect(found.faults.length + found.unlisted).toBe(found.transactions + genesis);
  });

  test("a lookup with a missing part", async () => {
    const damaged = new Overlay(store);
    for (const [key] of store.range(tables.runChunks)) damaged.remove(tables.runChunks, key);
    const found = await verify(damaged);
    const names = [
      ...Object.values(invertedIndexes).map(({ table }) => table.name),
      ...Object.values(counters).map(({ name }) => name),
    ];
    expect(found.faults.map(({ table, key }) => `${table} ${key}`)).toEqual(
      ["transactionIds", ...names].map((name) => `${name} lookup`),
    );
  });

  test("missing, too high and unexpected numbers of a counter", async () => {
    const counter = counters.listedTransactions;
    const [first] = allCounts(store, counter);
    if (first === undefined) throw new Error("nothing is counted");
    const { key, label, count } = first;
    const faultsBehind = async (added: readonly Count[]): Promise<readonly unknown[]> => {
      const damaged = new Overlay(store);
      const counts = new CountBuffer();
      for (const one of added) counts.add(one.key, one.label, one.count);
      flushMemtable(damaged, counter.tree.id, counts);
      const { faults } = await verify(damaged);
      return faults.map(({ table, problem }) => [table, problem]);
    };
    expect(await faultsBehind([{ key, label, count: 2 }])).toEqual([
      [counter.name, `is ${count + 2}, expected ${count}`],
    ]);
    expect(await faultsBehind([{ key, label, count: -count }])).toEqual([
      [counter.name, `is missing: ${count}`],
    ]);
    expect(await faultsBehind([{ key, label: 0xff, count: 1 }])).toEqual([
      [counter.name, "is unexpected: 1"],
    ]);
    expect(await faultsBehind([])).toEqual([]);
  });

  test.each(Object.values(invertedIndexes).map((index) => [index.table.name, index] as const))(
    "what the look-up of %s does not lead to",
    async (name, { tree, table }) => {
      const damaged = new Overlay(store);
      damaged.remove(tables.sortedRuns, tree.id);
      const found = await verify(damaged);
      const [[unit, postings] = []] = store.range(table);
      const [first] = postings ?? [];
      if (unit === undefined || first === undefined) throw new Error("the table is empty");
      expect(found.faults[0]).toEqual({
        table: name,
        key: `height=${unit.height} sequence=${unit.sequence} ${postingKeyText(first.key)}`,
        problem: "is missing: not found by the lookup",
      });
      const all = [...store.range(table)].reduce((sum, [, { length }]) => sum + length, 0);
      expect(found.faults.length + found.unlisted).toBe(all);
    },
  );

  test("a block with missing rows", async () => {
    const damaged = new Overlay(store);
    damaged.remove(tables.headers, 6);
    const found = await verify(damaged);
    expect(found.faults[0]).toMatchObject({ table: "blocks", key: "height=6" });
  });

  test("a chain whose end was cut off by hand", async () => {
    const damaged = new Overlay(store);
    damaged.put(tables.heights, undefined, { height: HEIGHT, persisted: HEIGHT });
    const found = await verify(damaged);
    expect(found.faults).toMatchObject([{ table: "heights", key: "(the only row)" }]);
  });

  test("wrong sponsors, but not other serials in the same order", async () => {
    const changed = new Overlay(store);
    const sponsors = new SponsorWriter(changed, (address) => changed.get(tables.accounts, address));
    const [[{ address }, sponsor] = raise("a sponsor")] = changed.range(tables.sponsors);
    const newest = [...sponsorsNewestFirst(changed, address)].at(0) ?? sponsor;
    sponsors.remove(address, newest);
    sponsors.add(address, newest);
    sponsors.flush();
    expect(changed.get(tables.sponsorships, { first: newest, second: address })).toBeGreaterThan(0);
    expect((await verify(changed)).outcome).toBe("right");
    sponsors.add(address, forger);
    sponsors.flush();
    const { faults } = await verify(changed);
    expect(faults.map(({ table }) => table)).toEqual(["sponsors"]);
    expect(faults[0].problem).toContain("sponsor");
  });

  const rowTables = [
    tables.scripts,
    tables.leases,
    tables.data,
    tables.sponsors,
    tables.sponsorLists,
    tables.sponsorships,
    tables.sponsorFunds,
    tables.accountHistory,
    tables.blockTotals,
    tables.effectiveFees,
    tables.recorded,
    tables.firstSeenKeys,
    tables.generatedBlocks,
    tables.score,
  ] as unknown as Table<unknown, unknown>[];

  test.each(rowTables.map((table) => [table.name, table] as const))(
    "a row removed from %s",
    async (name, table) => {
      const key = someKey(table);
      const damaged = new Overlay(store);
      damaged.remove({ ...table, key: bytesKeyCodec } as Table<Uint8Array, unknown>, key);
      const found = await verify(damaged);
      expect(found.outcome).toBe("faults");
      expect(found.faults.map((fault) => fault.table)).toContain(name);
    },
  );
});

test("counts the faults beyond a table's limit", async () => {
  const damaged = new Overlay(store);
  const keys = [...store.range(tables.generatedBlocks)].map(([key]) => key);
  for (const key of keys) damaged.remove(tables.generatedBlocks, key);
  const scratch = memoryStore();
  const found = await verifyStore(damaged, emptyChain(scratch), scratch, forgedProfile, {
    verifier: inlineVerifier(forgedProfile),
    faultsPerTable: 3,
  });
  expect(found.faults).toHaveLength(3);
  expect(found.unlisted).toBe(keys.length - 3);
});
