/** Indexes that are switched or reconfigured end as if they had been so from the start. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { type Block, buildBlock } from "../../blocks/block.ts";
import { buildMicroBlock, type MicroBlock } from "../../blocks/micro-block.ts";
import { bytesKey } from "../../bytes/compare.ts";
import { addressOf } from "../../crypto/addresses.ts";
import { allIndexes } from "../../indexes/all.ts";
import { AnchorQuery } from "../../indexes/anchors/query.ts";
import type { IndexMode } from "../../indexes/modes.ts";
import { sourceOf } from "../../indexes/testing/query-source.ts";
import { TrustQuery } from "../../indexes/trust/query.ts";
import type { TrustSettings } from "../../indexes/trust/settings.ts";
import { parseTrustNetwork } from "../../indexes/trust/trust-network.ts";
import type { IndexProgress, Log } from "../../interfaces.ts";
import { dev } from "../../profiles/index.ts";
import type { NetworkProfile } from "../../profiles/profile.ts";
import { allTables, JournalPrunedError } from "../../storage/batch/write-batch.ts";
import type { Reader } from "../../storage/kv.ts";
import { memoryStore } from "../../storage/memory-store.ts";
import { invertedIndexes } from "../../storage/postings/all.ts";
import { openStore, type Store } from "../../storage/store.ts";
import { tables } from "../../storage/tables.ts";
import { journaledRows } from "../../storage/testing/dump.ts";
import { DiskFullError, FailingStore } from "../../storage/testing/failing-store.ts";
import { buildTransaction } from "../../testing/build-transaction.ts";
import { keyPairOf, RecordingLog } from "../../testing/dev-node.ts";
import { SeededRandom } from "../../testing/seeded-random.ts";
import { silentLog } from "../../testing/silent-log.ts";
import { VirtualClock } from "../../testing/virtual-clock.ts";
import type { Transaction } from "../../transactions/index.ts";
import { Chain } from "../chain.ts";
import { indexProgress, indexState } from "../reading/index-states.ts";
import { headerRow } from "../reading/rows.ts";
import { atOnce } from "../testing/at-once.ts";
import { IndexBuilder } from "./build-indexes.ts";

const people = ["one", "two", "three", "four", "five"].map(keyPairOf);
const addresses = people.map(({ publicKey }) => addressOf(publicKey, dev.chainId));
const miner = keyPairOf("miner");

const profile: NetworkProfile = {
  ...dev,
  genesis: {
    ...dev.genesis,
    signature: undefined,
    transactions: addresses.map((recipient) => ({ recipient, amount: 1_000_000n * 100_000_000n })),
  },
};

const network = parseTrustNetwork(`{
  "root": { "issues": [{ "type": 1, "role": "authority" }, { "type": 2, "role": "notary" }] },
  "authority": { "issues": [{ "type": 2, "role": "university" }, { "type": 3, "role": "authority" }] },
  "notary": {},
  "university": { "issues": [{ "type": 1, "role": "university" }] }
}`);
const other = parseTrustNetwork(`{
  "root": { "issues": [{ "type": 3, "role": "authority" }] },
  "authority": { "issues": [{ "type": 1, "role": "authority" }] }
}`);
const idle = parseTrustNetwork('{"root":{}}');

/** The operator's settings. */
interface Configuration {
  readonly trust: TrustSettings;
  readonly mode?: IndexMode;
}

/** @param slow true: time passes so that a commit has only a few units */
function builderOf(chain: Chain, log: Log, slow = false): IndexBuilder {
  const clock = new VirtualClock(0);
  let now = 0;
  if (slow) clock.monotonic = () => (now += 7);
  return new IndexBuilder({ chain, network: profile, clock, log });
}

/** Opens the chain, and builds its indexes. */
function open(store: Store, configuration: Configuration, log: Log = silentLog): Chain {
  const chain = openAsItIs(store, configuration);
  const builder = builderOf(chain, log);
  builder.begin();
  while (builder.step());
  return chain;
}

function openAsItIs(store: Store, { trust, mode }: Configuration): Chain {
  return Chain.open({
    store,
    profile,
    indexes: allIndexes({ trust, anchors: mode, associations: mode }),
    clock: new VirtualClock(Number(profile.genesis.blockTimestamp)),
    log: silentLog,
    options: { stopOnUnsupportedFeature: false },
  });
}

/** Associations, revokes and anchors among a few accounts. */
function someTransactions(random: SeededRandom, count: number, timestamp: bigint): Transaction[] {
  return Array.from({ length: count }, (_, i) => {
    const type = random.pick([16, 16, 16, 17, 15, 22]);
    const association = {
      associationType: BigInt(1 + random.below(3)),
      recipient: random.pick(addresses),
      subject: undefined,
    };
    const hash = Uint8Array.of(random.below(20));
    const members =
      type === 15
        ? { anchors: [hash] }
        : type === 22
          ? { anchors: [[hash, random.bytes(4)]] }
          : type === 16
            ? { ...association, expires: undefined, data: [] }
            : association;
    return buildTransaction({
      type,
      sender: random.pick(people),
      fee: 1_000_000_000n,
      // Two equal ones would be the same transaction.
      timestamp: timestamp + BigInt(i + 10 * random.below(1_000)),
      chainId: dev.chainId,
      members,
    });
  });
}

/** Grows a chain, and remembers its content. */
function grow(chain: Chain, random: SeededRandom, steps: number): (Block | MicroBlock)[] {
  const parts: (Block | MicroBlock)[] = [];
  for (let step = 0; step < steps; step++) {
    const { tip } = chain;
    const transactions = someTransactions(random, random.below(5), tip.keyBlock.timestamp);
    if (tip.liquid && tip.height > 1 && transactions.length > 0 && random.chance(50)) {
      const { micro } = buildMicroBlock(chain.forging.liquidBlock(), transactions, miner);
      expect(atOnce(chain.acceptMicroBlock(micro))).toMatchObject({ ok: true });
      parts.push(micro);
      continue;
    }
    parts.push(append(chain, transactions));
  }
  return parts;
}

function append(chain: Chain, transactions: readonly Transaction[]): Block {
  const { tip } = chain;
  const block = buildBlock(
    {
      version: 4,
      timestamp: tip.keyBlock.timestamp + 10_000n,
      reference: tip.id,
      baseTarget: 1_000n,
      generationSignature: new Uint8Array(32),
      transactions,
      features: [],
      feeVote: 0,
    },
    miner,
  );
  const result = chain.process(block);
  expect(result.ok || result.error.printed).toBe(true);
  return block;
}

/** Blocks up to a height with 1,700 anchors each. Returns the first anchor of each transaction. */
function anchorMuch(chain: Chain, top: number): Uint8Array[] {
  const random = new SeededRandom(11);
  const hashes: Uint8Array[] = [];
  for (let height = 2; height <= top; height++) {
    const transactions = Array.from({ length: 17 }, () => {
      const anchors = Array.from({ length: 100 }, () => random.bytes(6));
      hashes.push(anchors[0]);
      return buildTransaction({
        type: 15,
        sender: people[0],
        fee: 2_000_000_000n,
        timestamp: chain.tip.keyBlock.timestamp,
        chainId: dev.chainId,
        members: { anchors },
      });
    });
    append(chain, transactions);
  }
  return hashes;
}

function repeat(chain: Chain, parts: readonly (Block | MicroBlock)[]): void {
  for (const part of parts) {
    const result = "totalSignature" in part ? atOnce(chain.acceptMicroBlock(part)) : chain.process(part);
    expect(result).toMatchObject({ ok: true });
  }
}

/** Every row that blocks and configuration determine, as text. Arrival times are those of a stopped clock. */
function contents(reader: Reader): Map<string, string> {
  const rows = new Map<string, string>();
  for (const table of allTables) {
    if (!table.journaled && table.name !== "meta") continue;
    for (const [key, value] of reader.scan(table, {}))
      rows.set(`${table.name} ${bytesKey(key)}`, bytesKey(table.value.encode(value)));
  }
  return rows;
}

function expectSame(one: Store, two: Store): void {
  const actual = contents(one);
  const expected = contents(two);
  const differing = [...new Set([...actual.keys(), ...expected.keys()])].filter(
    (key) => actual.get(key) !== expected.get(key),
  );
  expect(differing.map((key) => JSON.stringify(key))).toEqual([]);
}

function rolesOf(store: Store): string[] {
  return store.read(journaledRows).filter((row) => row.startsWith("roles "));
}

function rollBack(store: Store, chain: Chain, height: number): void {
  const id = store.read((reader) => headerRow(reader, height).signature);
  chain.removeAfter(id, { returnTransactions: false });
  expect(chain.tip.height).toBe(height);
}

const root = addresses[0];
const first: Configuration = { trust: { network, root } };

describe("a start with another configuration", () => {
  let store: Store;
  let parts: (Block | MicroBlock)[];

  beforeEach(async () => {
    store = memoryStore();
    parts = grow(open(store, first), new SeededRandom(7), 60);
    expect(store.read((reader) => [...reader.range(tables.roles)]).length).toBeGreaterThan(1);
  });

  const changes: [string, Configuration][] = [
    ["another root", { trust: { network, root: addresses[1] } }],
    ["no root", { trust: { network, root: undefined } }],
    ["other roles", { trust: { network: other, root } }],
    ["no roles any more", { trust: { network: idle, root } }],
    ["anchors and associations of trusted accounts only", { trust: { network, root }, mode: "trust" }],
    ["no anchors and associations", { trust: { network, root }, mode: "none" }],
  ];

  it.each(changes)("%s: the store equals one that started so", async (_, configuration) => {
    const chain = open(store, configuration);
    const freshStore = memoryStore();
    const fresh = open(freshStore, configuration);
    repeat(fresh, parts);
    expectSame(store, freshStore);
    // No rollback tells them apart, wherever it ends, nor anything after it.
    for (const height of [fresh.tip.height - 1, fresh.tip.height - 6, 8, 2]) {
      rollBack(store, chain, height);
      rollBack(freshStore, fresh, height);
      expectSame(store, freshStore);
    }
    repeat(chain, grow(fresh, new SeededRandom(8), 20));
    expectSame(store, freshStore);
  });

  it.each(changes)("%s, and back again: nothing has changed", async (_, configuration) => {
    const before = contents(store);
    open(store, configuration);
    expect(contents(store)).not.toEqual(before);
    open(store, first);
    expect(contents(store)).toEqual(before);
  });

  it.each(changes.slice(3))(
    "%s, by a command that replaces blocks: no index misses one",
    async (_, configuration) => {
      const expected = memoryStore();
      const fresh = open(expected, first);
      repeat(fresh, parts);
      const random = new SeededRandom(9);
      for (let round = 0; round < 6; round++) {
        // An offline command opens the chain and builds no index.
        const failing = new FailingStore(store, random);
        const chain = openAsItIs(failing, configuration);
        for (let change = 0; change < 3; change++) {
          const height = chain.tip.height - 1 - random.below(5);
          rollBack(store, chain, height);
          rollBack(expected, fresh, height);
          failing.faults.commits = random.pick([0, 100]);
          const transactions = someTransactions(random, 3, chain.tip.keyBlock.timestamp);
          if (failing.faults.commits > 0) expect(() => append(chain, transactions)).toThrow(DiskFullError);
          failing.faults.commits = 0;
          repeat(fresh, grow(chain, random, random.below(9)));
        }
        if (random.chance(40)) continue;
        open(store, first);
        expectSame(store, expected);
      }
      open(store, first);
      expectSame(store, expected);
    },
  );

  it("has roles, and other ones with another root", async () => {
    const rolesWith = (trust: TrustSettings) =>
      store.read((reader) =>
        addresses.map((address) => new TrustQuery(sourceOf(reader, trust)).rolesOf(address).roles),
      );
    const before = rolesWith(first.trust);
    const moved = { network, root: addresses[1] };
    open(store, { trust: moved });
    const after = rolesWith(moved);
    expect(before[0]).toContain("root");
    expect(after[0]).not.toContain("root");
    expect(after[1]).toContain("root");
    expect(after.slice(2)).not.toEqual(before.slice(2));
  });

  it("answers anchor queries by its mode, with or without entries of another one", async () => {
    const answers = (from: Store) =>
      from.read((reader) =>
        Array.from({ length: 20 }, (_, byte) => {
          const hash = Uint8Array.of(byte);
          return {
            first: new AnchorQuery(sourceOf(reader)).first(hash),
            pairs: [...new AnchorQuery(sourceOf(reader)).mapped(hash)],
          };
        }),
      );
    const found = (from: Store) => answers(from).filter(({ first }) => first !== undefined).length;
    const all = answers(store);
    const trusted: Configuration = { ...first, mode: "trust" };
    const freshStore = memoryStore();
    repeat(open(freshStore, trusted), parts);
    const ofTrusted = answers(freshStore);
    expect(ofTrusted).not.toEqual(all);
    expect(found(freshStore)).toBeGreaterThan(3);
    for (const [configuration, expected] of [
      [trusted, ofTrusted],
      [first, all],
      [{ ...first, mode: "none" }, all.map(() => ({ first: undefined, pairs: [] }))],
      [trusted, ofTrusted],
      [first, all],
    ] as const) {
      open(store, configuration);
      expect(answers(store)).toEqual(expected);
    }
  });

  it("undoes the rest of the journal, and no more", async () => {
    const depth = 5;
    const shallow = memoryStore({ rollbackDepth: depth });
    repeat(open(shallow, first), parts);
    const configuration = { trust: { network, root: addresses[1] } };
    const chain = open(shallow, configuration);
    const freshStore = memoryStore({ rollbackDepth: depth });
    const fresh = open(freshStore, configuration);
    repeat(fresh, parts);
    const { height } = chain.tip;
    const tooDeep = shallow.read((reader) => headerRow(reader, height - depth - 1).signature);
    expect(() => chain.removeAfter(tooDeep, { returnTransactions: false })).toThrow(JournalPrunedError);
    rollBack(shallow, chain, height - depth);
    rollBack(freshStore, fresh, height - depth);
    expectSame(shallow, freshStore);
  });

  it("is the same on the disk", async () => {
    const folder = mkdtempSync(join(tmpdir(), "holdfast-reindex-"));
    const openDisk = () => openStore(folder, { network: "test" });
    const configuration = { trust: { network, root: addresses[1] } };
    try {
      let disk = await openDisk();
      repeat(open(disk, first), parts);
      await disk.close();
      disk = await openDisk();
      const chain = open(disk, configuration);
      open(store, configuration);
      expect(rolesOf(disk)).toEqual(rolesOf(store));
      rollBack(disk, chain, chain.tip.height - 4);
      rollBack(store, open(store, configuration), chain.tip.height);
      expect(rolesOf(disk)).toEqual(rolesOf(store));
      expect(rolesOf(disk).length).toBeGreaterThan(0);
      await disk.close();
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it("commits early when there are many entries, even in few rows", () => {
    const without: Configuration = { ...first, mode: "none" };
    const many = memoryStore();
    const hashes = anchorMuch(open(many, without), 70);
    const chain = openAsItIs(many, first);
    const builder = builderOf(chain, silentLog);
    builder.begin();
    const seen: number[] = [];
    while (builder.step()) seen.push(anchorsOf(many).height);
    // All anchors are in 69 rows, and there are more than 100,000.
    expect(many.read((reader) => [...reader.range(tables.anchors)])).toHaveLength(69);
    expect(seen.length).toBeGreaterThan(20);
    expect(seen).toEqual([...seen].sort((a, b) => a - b));
    expect(anchorsOf(many)).toMatchObject({ state: "ready", height: 70 });
    many.read((reader) => {
      for (const [i, hash] of hashes.entries())
        expect(new AnchorQuery(sourceOf(reader)).first(hash)).toMatchObject({
          height: 2 + Math.floor(i / 17),
          position: i % 17,
        });
    });
  });

  it("continues where it stopped, and restarts for another configuration", () => {
    const left = memoryStore();
    anchorMuch(open(left, { ...first, mode: "none" }), 40);
    const expected = memoryStore();
    anchorMuch(open(expected, first), 40);
    /** Starts, and stops after some commits. */
    const stopAfter = (configuration: Configuration, steps: number): number => {
      const builder = builderOf(openAsItIs(left, configuration), silentLog);
      builder.begin();
      for (let i = 0; i < steps; i++) builder.step();
      return anchorsOf(left).height;
    };
    const reached = stopAfter(first, 5);
    expect(reached).toBeGreaterThan(1);
    expect(stopAfter(first, 4)).toBeGreaterThan(reached);
    expect(stopAfter({ ...first, mode: "trust" }, 1)).toBe(0);
    stopAfter({ ...first, mode: "trust" }, 8);
    open(left, first);
    expectSame(left, expected);
  });

  it("keeps the changes of blocks meanwhile, and undoes no row of an incomplete index", () => {
    for (let seed = 1; seed <= 12; seed++) {
      const random = new SeededRandom(seed);
      const [, configuration] = random.pick(changes);
      const many = memoryStore();
      const before = openAsItIs(many, first);
      const expected = memoryStore();
      const other = openAsItIs(expected, configuration);
      repeat(other, grow(before, random, 40));
      let chain = openAsItIs(many, configuration);
      let builder = builderOf(chain, silentLog, true);
      builder.begin();
      for (let step = 0; step < 30; step++) {
        builder.step();
        if (random.chance(40)) repeat(other, grow(chain, random, 1 + random.below(3)));
        if (random.chance(20)) {
          const height = Math.max(1, chain.tip.height - random.below(random.chance(30) ? 30 : 4));
          if (height < chain.tip.height)
            for (const [one, at] of [
              [many, chain],
              [expected, other],
            ] as const)
              rollBack(one, at, height);
        }
        if (random.chance(15)) {
          chain = openAsItIs(many, configuration);
          builder = builderOf(chain, silentLog, true);
          builder.begin();
        }
      }
      while (builder.step());
      expectSame(many, expected);
    }
  });

  it("adds nothing to an index of another configuration until it is built", () => {
    const other = { trust: { network, root: addresses[1] } };
    const expected = memoryStore();
    repeat(open(expected, other), parts);
    // As an offline command with other settings: nothing is lost.
    const chain = openAsItIs(store, { ...other, mode: "none" });
    repeat(open(expected, other), grow(chain, new SeededRandom(9), 5));
    expect(anchorsOf(store)).toMatchObject({ state: "building" });
    open(store, other);
    expectSame(store, expected);
  });

  it("leaves no row and no entry of a disabled index", async () => {
    const folder = mkdtempSync(join(tmpdir(), "holdfast-indexes-"));
    const disk = await openStore(folder, { network: "test" });
    try {
      repeat(open(disk, first), parts);
      open(disk, { ...first, mode: "none" });
      expect([...disk.range(tables.anchors)]).toEqual([]);
      const trees: number[] = [invertedIndexes.anchors.tree.id, invertedIndexes.mappedAnchors.tree.id];
      expect([...disk.range(tables.runChunks)].filter(([{ tree }]) => trees.includes(tree))).toEqual([]);
      expect(anchorsOf(disk)).toMatchObject({ state: "off" });
      // Cached lookups by run number must not return old content.
      open(disk, first);
      expect(disk.read(journaledRows)).toEqual(store.read(journaledRows));
      disk.read((reader) => {
        for (let byte = 0; byte < 20; byte++)
          expect(structuredClone(new AnchorQuery(sourceOf(reader)).first(Uint8Array.of(byte)))).toEqual(
            store.read((one) => structuredClone(new AnchorQuery(sourceOf(one)).first(Uint8Array.of(byte)))),
          );
      });
    } finally {
      await disk.close();
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

describe("a start with the same configuration", () => {
  const log = new RecordingLog();

  it("changes nothing and logs nothing", async () => {
    const store = memoryStore();
    grow(open(store, first, log), new SeededRandom(3), 10);
    const before = contents(store);
    open(store, { trust: { network: parseTrustNetworkAgain(), root: root.slice() } }, log);
    expect(contents(store)).toEqual(before);
    expect(log.lines).toEqual([]);
  });

  it("does not read the root of a network without roles", async () => {
    const store = memoryStore();
    grow(open(store, { trust: { network: idle, root } }, log), new SeededRandom(3), 10);
    open(store, { trust: { network: idle, root: undefined } }, log);
    open(store, { trust: { network: new Map(), root: addresses[2] } }, log);
    expect(log.lines).toEqual([]);
  });

  it("is distinguished from a changed one, which is logged", async () => {
    const store = memoryStore();
    grow(open(store, first, log), new SeededRandom(3), 10);
    open(store, { trust: { network, root: addresses[1] } }, log);
    expect(log.lines.map(({ level, message }) => `${level} ${message}`)).toEqual([
      "info Building indexes (trust)",
      "info Indexes built (trust)",
    ]);
  });
});

function anchorsOf(store: Store): IndexProgress {
  return store.read((reader) =>
    indexProgress(
      "anchors",
      indexState(reader, "anchors"),
      reader.get(tables.heights, undefined)?.height ?? 0,
    ),
  );
}

/** The same roles, with other texts that no row depends on. */
function parseTrustNetworkAgain() {
  const roles = [...network].map(
    ([name, role]) => [name, { ...role, description: "another text", sponsored: true }] as const,
  );
  return new Map(roles);
}
